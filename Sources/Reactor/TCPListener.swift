package import Vocabulary

/// Accepts connections on one loop and spreads them over all loops of a group in turn.
@safe package final class TCPListener: TCPDoor {
    /// Makes what handles a fresh connection, on the connection's own loop. Nil turns it away.
    package typealias Accept = @Sendable (TCPConnection) -> (any StreamHandler)?

    private let group: EventLoopGroup
    private let accept: Accept
    private var nextLoop = 0

    package init(
        on address: SocketAddress, takesBoth: Bool = false, reactor: Reactor, group: EventLoopGroup,
        accept: @escaping Accept
    ) throws(ReactorError) {
        self.group = group
        self.accept = accept
        try super.init(on: address, takesBoth: takesBoth, reactor: reactor)
    }

    package init(
        _ inherited: ServiceManager.Inherited, reactor: Reactor, group: EventLoopGroup, accept: @escaping Accept
    ) throws(ReactorError) {
        self.group = group
        self.accept = accept
        try super.init(inherited, reactor: reactor)
    }

    override func arrived(_ arrivals: [Arrival]) {
        var batches = [[Arrival]](repeating: [], count: self.group.loops.count)
        for arrival in arrivals {
            batches[self.nextLoop].append(arrival)
            self.nextLoop = (self.nextLoop + 1) % self.group.loops.count
        }
        for (loop, batch) in zip(self.group.loops, batches) where !batch.isEmpty { self.hand(batch, to: loop) }
    }

    private func hand(_ batch: [Arrival], to loop: EventLoop) {
        if loop === self.reactor.loop { return Self.welcome(batch, on: self.reactor, self.accept) }
        let accept = self.accept
        loop.execute { Self.welcome(batch, on: $0, accept) }
    }

    private static func welcome(_ batch: [Arrival], on reactor: Reactor, _ accept: Accept) {
        for arrival in batch {
            guard let connection = try? TCPConnection(arrival.fd, peer: arrival.peer, on: reactor) else { continue }
            if let handler = accept(connection) { connection.start(handler) } else { connection.abort() }
        }
    }
}
