internal import Bytes
package import Reactor
package import Web

/// One request on a connection of its own, and the whole of its answer. A GET is sent on where the rules allow it.
///
/// What is long goes through piece by piece: a body comes from an `HTTPBodySource`, and what comes back goes into an `HTTPAnswerSink`.
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
    /// What is still to be sent, and whether it was asked for the next of it.
    private var source: (any HTTPBodySource)?
    private var isAskedFor = false
    private let sink: (any HTTPAnswerSink)?
    /// The time is up when nothing moved for so long; nil where it is when all of it took too long.
    private var idleTimeout: Duration?
    private var isPaused = false

    private static let sentAtOnce = 256 << 10

    /// The call lives until `completion` was called, once. A longer answer than the rules allow is none.
    ///
    /// - Parameter sink: given the body of an answer that went well (2xx), which is not in the outcome then.
    package init(
        _ server: ServerURL, on reactor: Reactor, rules: HTTPCallRules = HTTPCallRules(),
        into sink: (any HTTPAnswerSink)? = nil, completion: @escaping (Outcome) -> Void
    ) {
        self.server = server
        self.reactor = reactor
        self.rules = rules
        self.sink = sink
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
        self.startTimer(timeout, timeout)
        self.dial(body, timeout)
    }

    /// - Parameters:
    ///   - source: gives the body, whose length it knows. One call uses it once.
    ///   - idleTimeout: how long nothing may be sent or received.
    package func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields, from source: (any HTTPBodySource)?,
        idleTimeout: Duration
    ) {
        (self.method, self.target, self.fields, self.source) = (method, target, fields, source)
        self.idleTimeout = idleTimeout
        self.deadline = self.now + idleTimeout
        self.startTimer(idleTimeout, idleTimeout)
        self.dial([], idleTimeout)
    }

    private func startTimer(_ wait: Duration, _ timeout: Duration) {
        self.timer = self.reactor.schedule(after: wait) {
            // Who is held up by its own reader is not late.
            if self.isPaused { self.moved() }
            guard self.deadline <= self.now else { return self.startTimer(self.deadline - self.now, timeout) }
            self.finish(.failure(.connectTimedOut(after: timeout)))
        }
    }

    private func moved() {
        if let idleTimeout { self.deadline = self.now + idleTimeout }
    }

    private func dial(_ body: [UInt8], _ timeout: Duration) {
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
            self.method, target: self.target, host: self.server.authority, fields: fields,
            bodyLength: self.source?.length ?? body.count, into: &request)
        stream.write(request.span, body.span)
        self.sendMore()
        return self
    }

    /// Asks for the next piece of a long body, when the stream has room for it.
    private func sendMore() {
        guard let source = self.source, let stream = self.stream, !self.isAskedFor,
            stream.queuedBytes <= Self.sentAtOnce
        else { return }
        self.isAskedFor = true
        source.next { [weak self] bytes in self?.take(bytes) }
    }

    private func take(_ bytes: [UInt8]?) {
        guard let stream = self.stream else { return }
        self.isAskedFor = false
        guard let bytes else { return self.finish(.failure(.stopped)) }
        guard !bytes.isEmpty else { return self.source = nil }
        self.moved()
        stream.write(bytes.span)
        self.sendMore()
    }

    /// The sink has enough for now.
    package func pause() {
        self.isPaused = true
        self.stream?.pauseReading()
    }

    package func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        self.moved()
        self.stream?.resumeReading()
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
        self.moved()
        do throws(HTTPResponseError) {
            while self.completion != nil, let part = try self.parser.next(in: bytes, from: &offset) {
                switch part {
                case .informational: break
                case .head(let head): self.began(head)
                case .body(let range): self.take(bytes.extracting(range))
                case .end: self.answered()
                }
            }
        } catch {
            self.finish(.failure(.noHTTP(error)))
        }
    }

    private func began(_ head: HTTPResponseHead) {
        self.head = head
        if (200..<300).contains(head.status.code) { self.sink?.began(head) }
    }

    private func take(_ bytes: Span<UInt8>) {
        if let sink, let head = self.head, (200..<300).contains(head.status.code) { return sink.received(bytes) }
        // What is refused is said in a few words.
        guard self.sink == nil || self.body.count + bytes.count <= Self.sentAtOnce else { return }
        self.body.append(copying: bytes)
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

    package func drained() { self.sendMore() }

    package func ended(_ end: StreamEnd) {
        guard let stream = self.stream else { return }
        self.finish(.failure(end.failure(of: stream)))
    }
}
