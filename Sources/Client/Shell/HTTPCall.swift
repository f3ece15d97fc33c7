internal import Bytes
internal import Reactor
internal import Web

/// One request with JSON both ways, on a connection of its own.
final class HTTPCall: StreamHandler {
    typealias Outcome = Result<RawJSON, ClientError>

    private let server: ServerURL
    private let reactor: Reactor
    private var completion: ((Outcome) -> Void)?
    private var dialer: ServerDialer?
    private var stream: (any ByteStream)?
    private var timer: TimerToken?
    private var parser: HTTPResponseParser
    private var body: [UInt8] = []

    private static let longestBody = 1 << 20

    /// The call lives until `completion` was called, once.
    init(_ server: ServerURL, on reactor: Reactor, completion: @escaping (Outcome) -> Void) {
        self.server = server
        self.reactor = reactor
        self.completion = completion
        var limits = HTTPLimits()
        limits.maxBodyBytes = Self.longestBody
        self.parser = HTTPResponseParser(limits: limits)
    }

    func post(_ target: String, _ json: RawJSON, timeout: Duration) {
        self.timer = self.reactor.schedule(after: timeout) {
            self.finish(.failure(.ended(.connectTimedOut(after: timeout))))
        }
        let dialer = ServerDialer(
            self.server, on: self.reactor, timeout: timeout + .seconds(1),
            opened: { self.send(target, json, over: $0) }, failed: { self.finish(.failure(.ended($0))) })
        self.dialer = dialer
        dialer.start()
    }

    private func send(_ target: String, _ json: RawJSON, over stream: any ByteStream) -> any StreamHandler {
        self.stream = stream
        self.parser.expect(answerTo: .post)
        var request: [UInt8] = []
        HTTPRequestEncoder.write(
            .post, target: target, host: self.server.authority,
            fields: [.contentType: "application/json", .connection: "close"], bodyLength: json.bytes.count,
            into: &request)
        stream.write(request.span, json.bytes.span)
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
    func received(_ bytes: inout MutableSpan<UInt8>) {
        let bytes = bytes.span
        var offset = 0
        do throws(HTTPResponseError) {
            while self.completion != nil, let part = try self.parser.next(in: bytes, from: &offset) {
                switch part {
                case .informational, .head: break
                case .body(let range): self.body.append(contentsOf: [UInt8](copying: bytes.extracting(range)))
                case .end: self.answered()
                }
            }
        } catch {
            self.finish(.failure(.ended(.noHTTP(error))))
        }
    }

    private func answered() {
        guard let json = RawJSON(self.body) else { return self.finish(.failure(.unreadableAnswer)) }
        if let refusal = ServerRefusal(in: json) { return self.finish(.failure(.refused(refusal))) }
        self.finish(.success(json))
    }

    func peerFinished() {
        do throws(HTTPResponseError) {
            if case .end = try self.parser.connectionClosed() { return self.answered() }
            self.finish(.failure(.ended(.closedByServer(nil))))
        } catch {
            self.finish(.failure(.ended(.noHTTP(error))))
        }
    }

    func drained() {}

    func ended(_ end: StreamEnd) {
        guard let stream = self.stream else { return }
        self.finish(.failure(.ended(end.failure(of: stream))))
    }
}
