internal import HTTPServer
internal import Journal
internal import Reactor
internal import SocketIO
internal import SocketServer
internal import Vocabulary
internal import Web

/// What conformance suites and benchmarks talk to: `/test/echo` and `/test/broadcast` over WebSocket,
/// `/test/upload` takes a body of any length and answers with its size, `/socket.io/` and `/engine.io/` are what the
/// official suites of Socket.IO and Engine.IO want to find.
struct TestEndpoints: Sendable {
    private let hub: BroadcastHub
    private let servesSuites: Bool
    private let sockets: SocketServer
    private let engines: SocketServer

    /// - Parameters:
    ///   - servesSuites: whether `/socket.io/` is theirs.
    ///   - forward: passes on what belongs to a session of another node.
    init(
        _ group: EventLoopGroup, _ settings: SocketServerSettings, servesSuites: Bool, journal: Journal,
        forward: @escaping @Sendable (HTTPExchange, SessionID) -> Bool
    ) {
        self.hub = BroadcastHub(group)
        self.servesSuites = servesSuites
        var settings = settings
        settings.recoveryWindow = nil
        settings.connectTimeout = .seconds(1)
        settings.namespaces = [.main, Namespace("/custom") ?? .main]
        self.sockets = SocketServer(group, settings, journal: journal) { _ in
            ConformanceApplication(forwardingBy: forward)
        }
        settings.echoes = true
        self.engines = SocketServer(group, settings, journal: journal) { _ in
            ConformanceApplication(forwardingBy: forward)
        }
    }

    func add(to router: inout Router, _ reactor: Reactor) {
        let members = self.hub.members(on: reactor)
        router.on(.get, "/test/echo", foreignPages: .answered) { exchange, _ in
            exchange.upgradeToWebSocket { _ in EchoEndpoint() }
        }
        router.on(.get, "/test/broadcast") { exchange, _ in
            exchange.upgradeToWebSocket { webSocket in
                members.add(webSocket)
                return BroadcastEndpoint(self.hub, members)
            }
        }
        for method in [HTTPMethod.get, .post, .put] where self.servesSuites {
            let refusal = Router.ForeignPages.refusedBy(SocketServer.refusePage)
            router.on(method, "/socket.io", foreignPages: refusal) { exchange, _ in self.sockets.respond(to: exchange) }
            router.on(method, "/engine.io", foreignPages: refusal) { exchange, _ in self.engines.respond(to: exchange) }
        }
        router.on(.post, "/test/upload") { exchange, _ in
            exchange.streamBody(to: CountingSink(exchange), limit: 1 << 40)
        }
    }
}

/// Sends back what it gets.
private final class EchoEndpoint: WebSocketHandler {
    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        webSocket.send(kind, payload)
    }

    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {}
}

/// Sends what one member says to all of them, itself included.
private final class BroadcastEndpoint: WebSocketHandler {
    private let hub: BroadcastHub
    private let members: BroadcastMembers

    init(_ hub: BroadcastHub, _ members: BroadcastMembers) {
        self.hub = hub
        self.members = members
    }

    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        let bytes = unsafe payload.withUnsafeBufferPointer { unsafe Array($0) }
        self.hub.send(EncodedMessage(kind, bytes), from: webSocket.reactor)
    }

    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {
        self.members.remove(webSocket)
    }
}

/// All listeners, loop by loop.
private final class BroadcastHub: Sendable {
    private let group: EventLoopGroup
    private let loops: LoopLocal<BroadcastMembers>

    init(_ group: EventLoopGroup) {
        self.group = group
        self.loops = LoopLocal(group) { _ in BroadcastMembers() }
    }

    func members(on reactor: Reactor) -> BroadcastMembers { self.loops.value(on: reactor) }

    func send(_ message: EncodedMessage, from reactor: Reactor) {
        self.members(on: reactor).send(message)
        for loop in self.group.loops where loop !== reactor.loop {
            loop.execute { self.members(on: $0).send(message) }
        }
    }
}

private final class BroadcastMembers {
    private var members: [WebSocketConnection] = []

    func add(_ webSocket: WebSocketConnection) { self.members.append(webSocket) }
    func remove(_ webSocket: WebSocketConnection) { self.members.removeAll { $0 === webSocket } }

    func send(_ encoded: EncodedMessage) {
        let message = WebSocketMessage(encoded)
        for member in self.members { member.send(message) }
    }
}

private final class CountingSink: HTTPBodySink {
    private let exchange: HTTPExchange
    private var count = 0

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    func bodyReceived(_ bytes: Span<UInt8>) { self.count += bytes.count }
    func bodyEnded() { self.exchange.respond(.text(.ok, "\(self.count)\n")) }
    func bodyFailed() {}
}
