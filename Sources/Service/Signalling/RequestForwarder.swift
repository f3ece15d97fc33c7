internal import Client
internal import HTTPServer
internal import Reactor
internal import SocketServer
internal import Vocabulary
internal import Web

/// A request that reached another node than its session is passed on to that node: of a polling one the answer is passed back, and one that
/// becomes a WebSocket goes on through both. So a balancer may send each request wherever it likes. It goes one step only, and what it may do
/// is what the client could do there itself.
final class RequestForwarder {
    private let node: RandomToken
    private let reactor: Reactor
    private let addresses: () -> [RandomToken: String?]
    private var underWay = 0

    private static let passedOn: [HTTPFieldName] = [.contentType, .authorization]
    /// Longer than a poll waits for something to be said.
    private static let timeout = Duration.seconds(90)
    private static let mostUnderWay = 20_000
    private static let maximumBytes = 8 << 20

    /// - Parameter addresses: where the other nodes are.
    init(as node: RandomToken, on reactor: Reactor, to addresses: @escaping () -> [RandomToken: String?]) {
        self.node = node
        self.reactor = reactor
        self.addresses = addresses
    }

    /// False when the session is no other node's.
    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool {
        let request = exchange.request
        guard !session.token.isTagged(by: self.node), !ForwardedRequest.was(request),
            self.underWay < Self.mostUnderWay,
            let address = self.addresses().first(where: { session.token.isTagged(by: $0.key) })?.value,
            let server = ServerURL(address)
        else { return false }
        if request.isUpgrade(to: "websocket") {
            self.tunnel(exchange, to: server)
            return true
        }
        guard request.method == .post else {
            self.call(server, exchange, [])
            return true
        }
        exchange.collectBody(limit: Self.maximumBytes) { [unowned self] body in self.call(server, exchange, body) }
        return true
    }

    private func call(_ server: ServerURL, _ exchange: HTTPExchange, _ body: [UInt8]) {
        self.underWay += 1
        let request = ForwardedRequest(exchange, passing: Self.passedOn)
        let call = HTTPCall(server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: Self.maximumBytes)) {
            [unowned self] outcome in
            self.underWay -= 1
            exchange.onAbandoned = nil
            self.answer(exchange, outcome)
        }
        exchange.onAbandoned = { call.cancel() }
        call.send(
            exchange.request.method, request.target, fields: request.fields, body: body, timeout: Self.timeout)
    }

    private func answer(_ exchange: HTTPExchange, _ outcome: HTTPCall.Outcome) {
        // A node that cannot be reached has no sessions any more.
        guard case .success(let answer) = outcome else { return SocketServer.refuseSession(exchange) }
        var response = HTTPResponse(answer.status, body: .bytes(answer.body))
        if let type = answer.fields[.contentType] { response.head.fields.set(.contentType, to: type) }
        response.head.fields.set(.cacheControl, to: "no-store")
        exchange.respond(response)
    }
}

// MARK: - WebSockets

extension RequestForwarder {
    /// What belongs to the handshake of a WebSocket (RFC 6455 §4).
    private static let handshake: [HTTPFieldName] = [
        .upgrade, .authorization, "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions",
        "Sec-WebSocket-Protocol",
    ]
    private static let handshakeAnswer: [HTTPFieldName] = [
        .upgrade, .connection, "Sec-WebSocket-Accept", "Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol",
    ]
    private static let handshakeTimeout = Duration.seconds(10)

    private func tunnel(_ exchange: HTTPExchange, to server: ServerURL) {
        self.underWay += 1
        let request = ForwardedRequest(exchange, passing: Self.handshake)
        let call = UpgradeCall(
            server, on: self.reactor, request.target, fields: request.fields, timeout: Self.handshakeTimeout,
            switched: { [unowned self] in self.join(exchange, $1, answer: $0) },
            failed: { [unowned self] in
                self.underWay -= 1
                exchange.onAbandoned = nil
                // A node that cannot be reached has no sessions any more.
                SocketServer.refuseSession(exchange)
            })
        exchange.onAbandoned = { [unowned self] in
            self.underWay -= 1
            call.cancel()
        }
    }

    /// From here on each side is given what the other one says.
    private func join(
        _ exchange: HTTPExchange, _ far: any ByteStream, answer: HTTPResponseHead
    ) -> (any StreamHandler)? {
        exchange.onAbandoned = nil
        guard exchange.isAlive else {
            self.underWay -= 1
            return nil
        }
        var fields = HTTPFields()
        fields.take(Self.handshakeAnswer, from: answer.fields)
        var farEnd: StreamTunnel.End?
        exchange.upgrade(fields) { near in
            let ends = StreamTunnel.ends(near, far) { [unowned self] in self.underWay -= 1 }
            farEnd = ends.1
            return ends.0
        }
        return farEnd
    }
}
