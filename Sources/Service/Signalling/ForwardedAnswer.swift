internal import Bytes
internal import Client
internal import HTTPServer
internal import Reactor
internal import Vocabulary
internal import Web

/// What another node answers, on its way to the client as it comes, no faster than the client takes it. Lives until it has ended.
final class ForwardedAnswer: HTTPAnswerSink {
    private let exchange: HTTPExchange
    private let refuse: (HTTPExchange) -> Void
    private var call: HTTPCall?

    /// Longer than a poll waits for something to be said; an answer that goes on and on says something twice a minute.
    private static let idleTimeout = Duration.seconds(90)

    /// - Parameter refuse: answers where the other node cannot be reached.
    init(_ exchange: HTTPExchange, orElse refuse: @escaping (HTTPExchange) -> Void) {
        (self.exchange, self.refuse) = (exchange, refuse)
    }

    func begin(_ server: ServerURL, _ body: ForwardedBody?, on reactor: Reactor, _ ended: @escaping () -> Void) {
        let request = ForwardedRequest(self.exchange, with: self.exchange.request.fields.endToEnd)
        // It passes piece by piece, however long it is.
        let call = HTTPCall(server, on: reactor, rules: HTTPCallRules(maximumBodyBytes: .max >> 1), into: self) {
            outcome in
            ended()
            self.ended(outcome)
        }
        self.call = call
        self.exchange.onAbandoned = { call.cancel() }
        self.exchange.onDrained = { call.resume() }
        call.send(
            self.exchange.request.method, request.target, fields: request.fields,
            from: body, idleTimeout: Self.idleTimeout)
    }

    /// As if the other node had closed the connection.
    func fail() { self.call?.cancel() }

    func began(_ head: HTTPResponseHead) {
        let length = head.fields[.contentLength].flatMap { Int($0) }
        // One that goes on and on ends when its client says no more; any other comes to its end.
        if length == nil { self.exchange.onPeerFinished = { [weak self] in self?.call?.cancel() } }
        self.exchange.start(HTTPResponseHead(head.status, fields: head.fields.endToEnd), length: length)
    }

    func received(_ bytes: Span<UInt8>) {
        if !self.exchange.write(bytes) { self.call?.pause() }
    }

    private func ended(_ outcome: HTTPCall.Outcome) {
        self.call = nil
        self.exchange.onAbandoned = nil
        self.exchange.onPeerFinished = nil
        self.exchange.onDrained = nil
        guard self.exchange.isAlive else { return }
        switch outcome {
        case .success where self.exchange.isAnswered: self.exchange.finish()
        case .success(let answer):
            let head = HTTPResponseHead(answer.status, fields: answer.fields.endToEnd)
            self.exchange.respond(HTTPResponse(head, body: answer.body.isEmpty ? .none : .bytes(answer.body)))
        case .failure where self.exchange.isAnswered: self.exchange.fail()
        case .failure: self.refuse(self.exchange)
        }
    }
}
