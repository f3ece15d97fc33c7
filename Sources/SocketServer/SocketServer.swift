package import HTTPServer
package import Journal
package import Reactor
internal import SocketIO

/// Socket.IO over HTTP and WebSocket, with an application behind it.
///
/// All sessions live on one loop, and with them everything they talk about: a connection that arrived on another loop
/// moves there with its first request. So whatever two clients do to each other has one order, without a lock.
package final class SocketServer: Sendable {
    private let home: EventLoop
    private let sessions: LoopLocal<SocketSessions>

    /// - Parameters:
    ///   - clock: what the sessions' times are measured with; a test brings its own.
    ///   - makeApplication: called once, on the sessions' loop; what it returns stays there.
    package init(
        _ group: EventLoopGroup, _ settings: SocketServerSettings, journal: Journal,
        clock: @escaping @Sendable (Reactor) -> any Scheduler = { $0 },
        makeApplication: @escaping @Sendable (Reactor) -> any SocketApplication
    ) {
        self.home = group.loops[0]
        self.sessions = LoopLocal(group) {
            SocketSessions(settings, clock: clock($0), journal: journal, application: makeApplication($0))
        }
    }

    /// Answers a request below `/socket.io/`.
    package func respond(to exchange: HTTPExchange) {
        guard exchange.reactor.loop === self.home else { return exchange.move(to: self.home) }
        self.sessions.value(on: exchange.reactor).respond(to: exchange)
    }

    /// Refuses a web page that may not come in.
    package static func refusePage(_ exchange: HTTPExchange) { exchange.refuse(.forbidden) }

    /// The session that a request is of is nowhere.
    package static func refuseSession(_ exchange: HTTPExchange) { exchange.refuse(.unknownSession) }

    /// Tells every client that the server goes away, so that it comes back to the next server.
    package func drain() {
        self.home.execute { self.sessions.value(on: $0).drain() }
    }
}
