package import Journal
internal import System
internal import Pacing
package import Reactor
package import Secure
package import Vocabulary

/// An HTTP and WebSocket server on every loop of a group.
package final class HTTPServer: Sendable {
    private let group: EventLoopGroup
    private let loops: LoopLocal<HTTPLoopServer>
    private let journal: Journal
    /// What new connections are encrypted with; nil for plain HTTP.
    private let tls: Locked<TLSContext?>
    private let otherProtocol = OtherProtocol()

    /// - Parameter makeResponder: called once on each loop; what it returns stays there.
    package init(
        _ group: EventLoopGroup, settings: HTTPServerSettings = HTTPServerSettings(), metrics: HTTPMetrics,
        journal: Journal, tls: TLSContext? = nil, makeResponder: @escaping @Sendable (Reactor) -> HTTPResponder
    ) {
        self.group = group
        self.journal = journal
        self.tls = Locked(tls)
        let budgets = HTTPBudgets(settings)
        let otherProtocol = self.otherProtocol
        self.loops = LoopLocal(group) { reactor, siblings in
            HTTPLoopServer(
                reactor, siblings, settings, metrics, journal, budgets, otherProtocol, responder: makeResponder(reactor)
            )
        }
    }

    /// Connections from now on use this certificate; those that are open keep theirs.
    package func use(_ context: TLSContext) {
        self.tls.withLock { $0 = context }
    }

    /// What new connections are encrypted with now.
    package var certificate: TLSContext? { self.tls.withLock { $0 } }

    /// Connections whose clients speak STUN behind TLS go to another server, on whichever loop it lives.
    package func hand(streamsOfSTUN takes: @escaping @Sendable (DetachedStream) -> Void) {
        self.otherProtocol.set(takes)
    }

    /// Opens the door. The listener belongs to the reactor's loop, the connections to all loops in turn.
    ///
    /// - Parameter takesBoth: whether clients of IPv4 come to an address of IPv6 as well.
    package func listen(
        on address: SocketAddress, takesBoth: Bool = false, _ reactor: Reactor
    ) throws(ReactorError) -> TCPListener {
        try TCPListener(on: address, takesBoth: takesBoth, reactor: reactor, group: self.group) { self.welcome($0) }
    }

    /// The same on a socket that listens already.
    package func listen(
        on inherited: ServiceManager.Inherited, _ reactor: Reactor
    ) throws(ReactorError) -> TCPListener {
        try TCPListener(inherited, reactor: reactor, group: self.group) { self.welcome($0) }
    }

    private func welcome(_ connection: TCPConnection) -> (any StreamHandler)? {
        let server = self.loops.value(on: connection.reactor)
        connection.policy = server.writePolicy
        connection.isNewcomer = true
        guard let context = self.tls.withLock({ $0 }) else { return server.welcome(connection) }
        do throws(SecureError) {
            let stream = TLSStream(over: connection, try TLSSession(context))
            guard let handler = server.welcome(stream) else { return nil }
            stream.start(handler)
            return stream
        } catch {
            self.journal.error(.tlsRefused, "a TLS session could not be started", [.error: .error(error)])
            return nil
        }
    }

    /// Asks every loop to finish what is under way.
    package func drain() {
        self.group.execute { self.loops.value(on: $0).drain() }
    }

    package func abortAll() {
        self.group.execute { self.loops.value(on: $0).abortAll() }
    }

    /// The server's part on the reactor's loop.
    package func onLoop(_ reactor: Reactor) -> HTTPLoopServer { self.loops.value(on: reactor) }
}
