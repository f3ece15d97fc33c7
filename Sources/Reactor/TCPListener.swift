internal import CSockets
internal import CUV
package import Vocabulary

/// Accepts connections on one loop and spreads them over all loops of a group in turn.
@safe package final class TCPListener: SocketWatch {
    /// Makes what handles a fresh connection, on the connection's own loop. Nil turns it away.
    package typealias Accept = @Sendable (TCPConnection) -> (any StreamHandler)?

    /// With port 0 asked for, the one the system chose.
    package let address: SocketAddress
    private let group: EventLoopGroup
    private let accept: Accept
    private var nextLoop = 0
    private var retry: TimerToken?

    /// What follows from an arrival (a handshake, a token, a place to come back to) takes a tenth of a millisecond.
    /// When ten thousand arrive at once they come in at this pace, so that those who are in do not notice.
    private static let acceptsPerTurn = 8
    private static let backlog: Int32 = 4096

    package init(
        on address: SocketAddress, reactor: Reactor, group: EventLoopGroup, accept: @escaping Accept
    ) throws(ReactorError) {
        let fd = try SystemSocket.bound(to: address, type: SystemSocket.stream, for: .listen)
        self.address = SystemSocket.localAddress(of: fd) ?? address
        self.group = group
        self.accept = accept
        try super.init(fd, on: reactor)
        guard listen(fd, Self.backlog) == 0 else {
            let error = ReactorError(.listen, code: SystemSocket.lastError, "\(address)")
            self.closeSocket()
            throw error
        }
        self.watch(readable: true, writable: false)
    }

    /// Accepts nothing more; connections that are open stay.
    package func close() {
        if let retry = self.retry.take() { self.reactor.cancel(retry) }
        self.closeSocket()
    }

    private struct Arrival: Sendable {
        let fd: Int32
        let peer: SocketAddress
    }

    override func readable() {
        var arrivals = [[Arrival]](repeating: [], count: self.group.loops.count)
        for _ in 0..<Self.acceptsPerTurn {
            guard let arrival = self.acceptOne() else { break }
            arrivals[self.nextLoop].append(arrival)
            self.nextLoop = (self.nextLoop + 1) % self.group.loops.count
        }
        for (loop, batch) in zip(self.group.loops, arrivals) where !batch.isEmpty { self.hand(batch, to: loop) }
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

    private func acceptOne() -> Arrival? {
        var system = SystemAddress()
        let fd = unsafe system.withSockaddr { unsafe parley_accept(self.fd, $0, &$1) }
        guard fd >= 0 else {
            self.acceptFailed(SystemSocket.lastError)
            return nil
        }
        return Arrival(fd: fd, peer: system.socketAddress ?? self.address)
    }

    /// Out of descriptors or memory: the queue stays full, so looking again at once would spin.
    private func acceptFailed(_ code: Int32) {
        let exhausted = [UV_EMFILE, UV_ENFILE, UV_ENOBUFS, UV_ENOMEM].contains { $0.rawValue == code }
        guard exhausted, self.retry == nil else { return }
        self.watch(readable: false, writable: false)
        self.retry = self.reactor.schedule(after: .milliseconds(100)) { [unowned self] in
            self.retry = nil
            self.watch(readable: true, writable: false)
        }
    }
}
