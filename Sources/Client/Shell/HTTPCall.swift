internal import Bytes
package import Reactor
package import Web

/// One request on a connection of its own, and the whole of its answer.
package final class HTTPCall: StreamHandler {
    package struct Answer: Sendable {
        package let status: HTTPStatus
        package let fields: HTTPFields
        package let body: [UInt8]
    }

    package typealias Outcome = Result<Answer, LinkFailure>

    private let server: ServerURL
    private let reactor: Reactor
    private var completion: ((Outcome) -> Void)?
    private var dialer: ServerDialer?
    private var stream: (any ByteStream)?
    private var timer: TimerToken?
    private var parser: HTTPResponseParser
    private var fields = HTTPFields()
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []

    /// The call lives until `completion` was called, once. A longer answer than `maximumBodyBytes` is none.
    package init(
        _ server: ServerURL, on reactor: Reactor, maximumBodyBytes: Int = 1 << 20,
        completion: @escaping (Outcome) -> Void
    ) {
        self.server = server
        self.reactor = reactor
        self.completion = completion
        var limits = HTTPLimits()
        limits.maximumBodyBytes = maximumBodyBytes
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

    /// - Parameter fields: they say what the body is.
    package func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields, body: [UInt8], timeout: Duration
    ) {
        self.fields = fields
        self.timer = self.reactor.schedule(after: timeout) {
            self.finish(.failure(.connectTimedOut(after: timeout)))
        }
        let dialer = ServerDialer(
            self.server, on: self.reactor, timeout: timeout + .seconds(1),
            opened: { self.send(method, target, body, over: $0) }, failed: { self.finish(.failure($0)) })
        self.dialer = dialer
        dialer.start()
    }

    private func send(
        _ method: HTTPMethod, _ target: String, _ body: [UInt8], over stream: any ByteStream
    ) -> any StreamHandler {
        self.stream = stream
        self.parser.expect(answerTo: method)
        var fields = self.fields
        fields.set(.connection, to: "close")
        var request: [UInt8] = []
        HTTPRequestEncoder.write(
            method, target: target, host: self.server.authority, fields: fields, bodyLength: body.count, into: &request)
        stream.write(request.span, body.span)
        return self
    }

    private func finish(_ outcome: Outcome) {
        guard let completion = self.completion.take() else { return }
        if let timer = self.timer.take() { self.reactor.cancel(timer) }
        self.dialer.take()?.cancel()
        self.stream.take()?.close()
        completion(outcome)
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
        self.finish(.success(Answer(status: head.status, fields: head.fields, body: self.body)))
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
