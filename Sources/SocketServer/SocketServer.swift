package import HTTPServer
package import Journal
package import Reactor
internal import SocketIO
internal import Vocabulary
internal import Web

/// Socket.IO over HTTP and WebSocket, with an application behind it.
///
/// A session lives on one loop, and with it everything it has: a connection that arrived on another loop moves there with its first
/// request. Usually that is the same loop for all of them, so whatever two clients do to each other has one order, without a lock.
package final class SocketServer: Sendable {
    /// On which sessions live.
    private let homes: [EventLoop]
    private let nodes: [RandomToken]
    private let sessions: LoopLocal<SocketSessions>

    /// - Parameters:
    ///   - clock: what the sessions' times are measured with; a test brings its own.
    ///   - makeApplication: called once, on the sessions' loop; what it returns stays there.
    package init(
        _ group: EventLoopGroup, _ settings: SocketServerSettings, journal: Journal,
        clock: @escaping @Sendable (Reactor) -> any Scheduler = { $0 },
        makeApplication: @escaping @Sendable (Reactor) -> any SocketApplication
    ) {
        let nodes = settings.nodes
        self.nodes = nodes
        self.homes = Array(group.loops.prefix(max(1, nodes.count)))
        self.sessions = LoopLocal(group) { reactor in
            reactor.setLongestWait(ofNewcomers: settings.maximumArrivalWait)
            let node = nodes.isEmpty ? nil : nodes[reactor.loop.index]
            return SocketSessions(
                settings, as: node, clock: clock(reactor), journal: journal, application: makeApplication(reactor))
        }
    }

    /// Answers a request below `/socket.io/`.
    package func respond(to exchange: HTTPExchange) {
        let home = self.home(of: exchange)
        guard exchange.reactor.loop === home else { return exchange.move(to: home) }
        self.sessions.value(on: exchange.reactor).respond(to: exchange)
    }

    /// The loop of the session that a request is of. A new one stays on the loop that its connection was dealt to, if it can. Old clients are
    /// together on the first one: what they say to each other is theirs alone.
    private func home(of exchange: HTTPExchange) -> EventLoop {
        guard self.homes.count > 1 else { return self.homes[0] }
        guard exchange.query?["EIO"] == "4" else { return self.homes[0] }
        let session = exchange.query?["sid"].flatMap { RandomToken($0) }
        if let owner = session.flatMap({ id in self.nodes.firstIndex { id.isTagged(by: $0) } }) {
            return self.homes[owner]
        }
        return self.homes[exchange.reactor.loop.index % self.homes.count]
    }

    /// Refuses a web page that may not come in.
    package static func refusePage(_ exchange: HTTPExchange) { exchange.refuse(.forbidden) }

    /// The session that a request is of is nowhere.
    package static func refuseSession(_ exchange: HTTPExchange) { exchange.refuse(.unknownSession) }

    /// Old clients come back to whichever node has them from now on.
    package func sendOldClientsAway(on loop: EventLoop) {
        loop.execute { self.sessions.value(on: $0).sendOldClientsAway() }
    }

    /// Tells every client of this loop that the server goes away, so that it comes back to the next server.
    package func drain(on loop: EventLoop) {
        loop.execute { self.sessions.value(on: $0).drain() }
    }
}
