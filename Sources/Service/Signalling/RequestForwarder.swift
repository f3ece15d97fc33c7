internal import Client
internal import HTTPServer
internal import Reactor
internal import SocketServer
internal import Vocabulary
internal import Web

/// A polling request that reached another node than its session is passed on to that node, and its answer passed back. So a balancer may
/// send each request wherever it likes. It goes one step only, and what it may do is what the client could do there itself.
final class RequestForwarder {
    private let node: RandomToken
    private let reactor: Reactor
    private let addresses: () -> [RandomToken: String?]
    private var underWay = 0

    /// On whatever was passed on once.
    static let mark = HTTPFieldName("Parley-Forwarded")
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
        guard !session.token.isTagged(by: self.node), !request.isUpgrade(to: "websocket"),
            request.fields[Self.mark] == nil,
            self.underWay < Self.mostUnderWay,
            let address = self.addresses().first(where: { session.token.isTagged(by: $0.key) })?.value,
            let server = ServerURL(address)
        else { return false }
        guard request.method == .post else {
            self.call(server, exchange, [])
            return true
        }
        exchange.collectBody(limit: Self.maximumBytes) { [unowned self] body in self.call(server, exchange, body) }
        return true
    }

    private func call(_ server: ServerURL, _ exchange: HTTPExchange, _ body: [UInt8]) {
        self.underWay += 1
        let request = exchange.request
        var fields = HTTPFields()
        for name in [HTTPFieldName.contentType, .authorization] {
            if let value = request.fields[name] { fields.set(name, to: value) }
        }
        fields.set(Self.mark, to: "1")
        let call = HTTPCall(server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: Self.maximumBytes)) {
            [unowned self] outcome in
            self.underWay -= 1
            exchange.onAbandoned = nil
            self.answer(exchange, outcome)
        }
        exchange.onAbandoned = { call.cancel() }
        let target = request.query.map { "\(request.path)?\($0)" } ?? request.path
        call.send(request.method, target, fields: fields, body: body, timeout: Self.timeout)
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
