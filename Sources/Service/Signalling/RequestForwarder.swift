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
    private var inFlight = ForwardedCalls()

    private static let mostInFlight = 20_000
    /// It passes piece by piece; the other node knows what it takes.
    private static let maximumBytes = 64 << 20

    /// - Parameter addresses: where the other nodes are.
    init(as node: RandomToken, on reactor: Reactor, to addresses: @escaping () -> [RandomToken: String?]) {
        self.node = node
        self.reactor = reactor
        self.addresses = addresses
    }

    /// False when the session is no other node's.
    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool {
        // A node that cannot be reached has no sessions any more.
        self.forward(exchange, to: session.token) { SocketServer.refuseSession($0) }
    }

    /// Forwards to the node whose name `name` begins with; false when that is this one or unknown.
    func forward(
        _ exchange: HTTPExchange, to name: RandomToken, orElse refuse: @escaping (HTTPExchange) -> Void
    ) -> Bool {
        guard !name.isTagged(by: self.node), !ForwardedRequest.was(exchange.request),
            let server = self.server(where: { name.isTagged(by: $0) })
        else { return false }
        self.pass(exchange, to: server, orElse: refuse)
        return true
    }

    struct Server {
        let node: RandomToken
        let url: ServerURL
    }

    /// Nil when there is no such node, or nobody knows where it is.
    func server(where isMeant: (RandomToken) -> Bool) -> Server? {
        guard let (node, address) = self.addresses().first(where: { isMeant($0.key) }) else { return nil }
        return address.flatMap { ServerURL($0) }.map { Server(node: node, url: $0) }
    }

    /// A node was lost: all requests in flight to it fail.
    func lost(_ node: RandomToken) {
        for fail in self.inFlight.failures(of: node) { fail() }
    }

    /// Whichever kind of request it is, and whichever kind of answer: one that goes on and on, too.
    ///
    /// - Parameters:
    ///   - limit: how long its body may be.
    ///   - refuse: answers where the other node cannot be reached, or too many are on their way to others.
    func pass(
        _ exchange: HTTPExchange, to server: Server, limit: Int = RequestForwarder.maximumBytes,
        orElse refuse: @escaping (HTTPExchange) -> Void
    ) {
        guard self.inFlight.count < Self.mostInFlight else { return refuse(exchange) }
        if exchange.request.isUpgrade(to: "websocket") { return self.tunnel(exchange, to: server, orElse: refuse) }
        let body = exchange.request.framing.length.map { ForwardedBody(exchange, length: $0) }
        guard body != nil || exchange.request.framing == .none else {
            return exchange.respond(.error(.lengthRequired, "say the length of the body"))
        }
        let answer = ForwardedAnswer(exchange, orElse: refuse)
        let id = self.inFlight.add(to: server.node) { answer.fail() }
        answer.begin(server.url, body, on: self.reactor) { [unowned self] in self.inFlight.remove(id) }
        if let body { exchange.streamBody(to: body, limit: limit) }
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

    private func tunnel(
        _ exchange: HTTPExchange, to server: Server, orElse refuse: @escaping (HTTPExchange) -> Void
    ) {
        // Set below, when the call is made.
        let id = self.inFlight.add(to: server.node) {}
        let failed = { [unowned self] in
            self.inFlight.remove(id)
            exchange.onAbandoned = nil
            refuse(exchange)
        }
        let request = ForwardedRequest(exchange, with: HTTPFields(Self.handshake, from: exchange.request.fields))
        let call = UpgradeCall(
            server.url, on: self.reactor, request.target, fields: request.fields, timeout: Self.handshakeTimeout,
            switched: { [unowned self] in self.join(exchange, $1, answer: $0, id) }, failed: failed)
        self.inFlight.update(id) {
            call.cancel()
            failed()
        }
        exchange.onAbandoned = { [unowned self] in
            self.inFlight.remove(id)
            call.cancel()
        }
    }

    /// From here on each side is given what the other one says.
    private func join(
        _ exchange: HTTPExchange, _ far: any ByteStream, answer: HTTPResponseHead, _ id: ForwardedCalls.ID
    ) -> (any StreamHandler)? {
        exchange.onAbandoned = nil
        guard exchange.isAlive else {
            self.inFlight.remove(id)
            return nil
        }
        self.inFlight.update(id) { far.abort() }
        let fields = HTTPFields(Self.handshakeAnswer, from: answer.fields)
        var farEnd: StreamTunnel.End?
        exchange.upgrade(fields) { near in
            let ends = StreamTunnel.ends(near, far) { [unowned self] in self.inFlight.remove(id) }
            farEnd = ends.1
            return ends.0
        }
        return farEnd
    }
}
