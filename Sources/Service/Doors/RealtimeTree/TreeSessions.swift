internal import HTTPServer
internal import Hashing
internal import Reactor
internal import RealtimeTree
internal import Vocabulary
internal import Web

/// The clients that speak the WebSocket protocol, by whichever way. Lives on the home loop.
final class TreeSessions: @unchecked Sendable {
    // Unchecked because it is used on the home loop alone.
    private let desk: TreeDesk
    private let gate: TreeGate
    private var sessions: [String: TreeSession] = [:]
    private var pollings: [String: TreePolling] = [:]
    private var pollingsOfClients: [IPAddress: Int] = [:]

    private static let maximumPollings = 64

    init(_ desk: TreeDesk, _ gate: TreeGate) {
        self.desk = desk
        self.gate = gate
    }

    private func make(_ exchange: HTTPExchange, _ fields: QueryItems) -> TreeSession {
        // Whoever comes back has left where they were, even if nobody has noticed yet.
        if let last = fields["ls"] { self.sessions[last]?.end() }
        let session = TreeSession(self.desk, self.gate, for: exchange.client, on: exchange.reactor)
        self.sessions[session.id] = session
        session.onEnd = { [weak self] in self?.ended($0) }
        return session
    }

    private func ended(_ session: TreeSession) {
        self.sessions[session.id] = nil
        guard self.pollings.removeValue(forKey: session.id) != nil else { return }
        self.pollingsOfClients[session.client.clientPrefix, default: 1] -= 1
        if self.pollingsOfClients[session.client.clientPrefix] == 0 {
            self.pollingsOfClients[session.client.clientPrefix] = nil
        }
    }

    // MARK: - WebSockets

    func open(_ exchange: HTTPExchange) {
        guard let fields = QueryItems(exchange.request.query ?? ""), fields["v"] == "5" else {
            return exchange.respond(.error(.badRequest, "version 5 of the protocol is spoken here"))
        }
        guard self.desk.isOpen else { return exchange.respond(.error(.serviceUnavailable, "try again later")) }
        if let name = fields["s"] { return self.join(exchange, name) }
        let host = ForwardedRequest.host(of: exchange.request)
        exchange.upgradeToWebSocket(maximumMessageBytes: TreeSocket.maximumFrameBytes) { socket in
            let session = self.make(exchange, fields)
            let handler = TreeSocket(socket, session)
            session.start(over: handler, host: host)
            return handler
        }
    }

    /// A session that polls goes on over a WebSocket.
    private func join(_ exchange: HTTPExchange, _ name: String) {
        guard let polling = self.pollings[name], polling.socket == nil else {
            return exchange.respond(.error(.notFound, "there is no such session"))
        }
        exchange.upgradeToWebSocket(maximumMessageBytes: TreeSocket.maximumFrameBytes) { socket in
            let handler = TreeSocket(socket, polling.session, joining: polling)
            polling.socket = handler
            let ready = Array(#"{"t":"c","d":{"t":"a","d":""}}"#.utf8)
            socket.send(.text, ready.span)
            return handler
        }
    }

    // MARK: - Long polling

    func poll(_ exchange: HTTPExchange) {
        guard let fields = QueryItems(exchange.request.query ?? "") else {
            return exchange.respond(.error(.badRequest, "the query is malformed"))
        }
        if fields["start"] == "t" { return self.startPolling(exchange, fields) }
        guard let name = fields["id"], let polling = self.pollings[name],
            ConstantTime.areEqual(polling.password, fields["pw"] ?? "")
        else {
            // The page hears that this session is over, and begins another.
            return TreePolling.answer(exchange, Array("pLPCommand(\"close\");\n".utf8))
        }
        if fields["dframe"] == "t" { return exchange.respond(Self.frame(of: polling)) }
        if fields["disconn"] == "t" {
            polling.end()
            return TreePolling.answer(exchange, [])
        }
        polling.poll(exchange, fields)
    }

    private func startPolling(_ exchange: HTTPExchange, _ fields: QueryItems) {
        // It becomes part of a script.
        guard let callback = fields["cb"], (1...10).contains(callback.utf8.count),
            callback.utf8.allSatisfy({ (48...57).contains($0) })
        else { return exchange.respond(.error(.badRequest, "cb must be a number")) }
        guard self.desk.isOpen else { return exchange.respond(.error(.serviceUnavailable, "try again later")) }
        let prefix = exchange.client.clientPrefix
        guard self.pollingsOfClients[prefix, default: 0] < Self.maximumPollings else {
            return exchange.respond(.error(.tooManyRequests, "too many sessions of this address"))
        }
        let session = self.make(exchange, fields)
        let polling = TreePolling(session)
        self.pollings[session.id] = polling
        self.pollingsOfClients[prefix, default: 0] += 1
        session.start(over: polling, host: ForwardedRequest.host(of: exchange.request))
        polling.start(exchange, callback: callback)
    }

    /// Asks for the end when the page goes away.
    private static func frame(of polling: TreePolling) -> HTTPResponse {
        let page = """
            <!DOCTYPE html><html><body><script>
            window.addEventListener("pagehide", function () {
                new Image().src = "/.lp?disconn=t&id=\(polling.session.id)&pw=\(polling.password)";
            });
            </script></body></html>

            """
        return HTTPResponse(
            .ok, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: .bytes(Array(page.utf8)))
    }
}
