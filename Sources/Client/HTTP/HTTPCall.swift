internal import Bytes
package import Reactor
package import Web

/// One request on a connection of its own, and the whole of its answer. A GET is sent on where the rules allow it.
package final class HTTPCall: StreamHandler {
    package struct Answer: Sendable {
        package let status: HTTPStatus
        package let fields: HTTPFields
        package let body: [UInt8]
    }

    package typealias Outcome = Result<Answer, LinkFailure>

    private let server: ServerURL
    private let reactor: Reactor
    private let rules: HTTPCallRules
    private var completion: ((Outcome) -> Void)?
    private var dialer: ServerDialer?
    private var stream: (any ByteStream)?
    private var timer: TimerToken?
    /// When the time is up, on the reactor's clock.
    private var deadline = Duration.zero
    private var parser: HTTPResponseParser
    private var method = HTTPMethod.get
    private var target = "/"
    private var fields = HTTPFields()
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    /// The call lives until `completion` was called, once. A longer answer than the rules allow is none.
    package init(
        _ server: ServerURL, on reactor: Reactor, rules: HTTPCallRules = HTTPCallRules(),
        completion: @escaping (Outcome) -> Void
    ) {
        self.server = server
        self.reactor = reactor
        self.rules = rules
        self.completion = completion
        var limits = HTTPLimits()
        limits.maximumBodyBytes = rules.maximumBodyBytes
        self.parser = HTTPResponseParser(limits: limits)
    }

    /// - Parameter fields: further ones that the other side wants to see.
    package func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields = HTTPFields(), json: [UInt8] = [], timeout: Duration
    ) {
        var fields = fields
        if !json.isEmpty { fields.set(.contentType, to: "application/json") }
        self.send(method, target, fields: fields, body: json, timeout: timeout)
    }

    /// - Parameters:
    ///   - fields: they say what the body is.
    ///   - timeout: for everything together, from the name's address to the answer's last byte.
    package func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields, body: [UInt8], timeout: Duration
    ) {
        (self.method, self.target, self.fields) = (method, target, fields)
        self.deadline = self.now + timeout
        self.timer = self.reactor.schedule(after: timeout) {
            self.finish(.failure(.connectTimedOut(after: timeout)))
        }
        let dialer = ServerDialer(
            self.server, self.rules, on: self.reactor, timeout: timeout + .seconds(1),
            opened: { self.send(body, over: $0) }, failed: { self.finish(.failure($0)) })
        self.dialer = dialer
        dialer.start()
    }

    private var now: Duration { .milliseconds(Int64(clamping: self.reactor.now)) }

    private func send(_ body: [UInt8], over stream: any ByteStream) -> any StreamHandler {
        self.stream = stream
        self.parser.expect(answerTo: self.method)
        var fields = self.fields
        fields.set(.connection, to: "close")
        var request: [UInt8] = []
        HTTPRequestEncoder.write(
            self.method, target: self.target, host: self.server.authority, fields: fields, bodyLength: body.count,
            into: &request)
        stream.write(request.span, body.span)
        return self
    }

    /// Nobody waits for the answer any more; `completion` is told that it was cut.
    package func cancel() { self.finish(.failure(.closedByServer(nil))) }

    private func finish(_ outcome: Outcome) {
        guard let completion = self.hangUp() else { return }
        completion(outcome)
    }

    /// Whom to tell what became of it, once.
    private func hangUp() -> ((Outcome) -> Void)? {
        guard let completion = self.completion.take() else { return nil }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.dialer.take()?.cancel()
        self.stream.take()?.close()
        return completion
    }
}

// MARK: - The answer

extension HTTPCall {
    package func received(_ bytes: inout MutableSpan<UInt8>) {
        let bytes = bytes.span
        var offset = 0
        do throws(HTTPResponseError) {
            while self.completion != nil, let part = try self.parser.next(in: bytes, from: &offset) {
                switch part {
                case .informational: break
                case .head(let head): self.head = head
                case .body(let range): self.body.append(copying: bytes.extracting(range))
                case .end: self.answered()
                }
            }
        } catch {
            self.finish(.failure(.noHTTP(error)))
        }
    }

    private func answered() {
        guard let head = self.head else { return self.finish(.failure(.closedByServer(nil))) }
        if let (next, rules) = self.redirect(head) { return self.follow(next, rules) }
        self.finish(.success(Answer(status: head.status, fields: head.fields, body: self.body)))
    }

    /// Nil for an answer that stands for itself, and for a redirect that is not followed.
    private func redirect(_ head: HTTPResponseHead) -> (HTTPURL, HTTPCallRules)? {
        guard self.method == .get, [301, 302, 303, 307, 308].contains(head.status.code),
            let next = head.fields[.location].flatMap(HTTPURL(self.server, self.target).resolving),
            let rules = self.rules.followed(from: self.server, to: next.server)
        else { return nil }
        return (next, rules)
    }

    private func follow(_ next: HTTPURL, _ rules: HTTPCallRules) {
        guard let completion = self.hangUp() else { return }
        // What proves who we are is for the first server alone.
        let fields = next.server == self.server ? self.fields : HTTPFields()
        HTTPCall(next.server, on: self.reactor, rules: rules, completion: completion)
            .send(.get, next.target, fields: fields, body: [], timeout: max(.zero, self.deadline - self.now))
    }

    package func peerFinished() {
        do throws(HTTPResponseError) {
            if case .end = try self.parser.connectionClosed() { return self.answered() }
            self.finish(.failure(.closedByServer(nil)))
        } catch {
            self.finish(.failure(.noHTTP(error)))
        }
    }

    package func drained() {}

    package func ended(_ end: StreamEnd) {
        guard let stream = self.stream else { return }
        self.finish(.failure(end.failure(of: stream)))
    }
}
