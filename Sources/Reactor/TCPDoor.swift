internal import CSockets
internal import CUV
package import Vocabulary

/// Listens on one address and accepts who comes. Where the connections live is decided by what is built on it.
@safe package class TCPDoor: SocketWatch {
    /// With port 0 asked for, the one the system chose.
    package let address: SocketAddress
    private var retry: TimerToken?

    /// What follows from an arrival (a handshake, a token, a place to come back to) takes a tenth of a millisecond.
    /// When ten thousand arrive at once they come in at this pace, so that those who are in do not notice.
    private static let acceptsPerTurn = 8
    private static let backlog: Int32 = 4096

    struct Arrival: Sendable {
        let fd: Int32
        let peer: SocketAddress
    }

    /// - Parameters:
    ///   - takesBoth: whether clients of IPv4 come to an address of IPv6 as well.
    ///   - isShared: whether connections leave from the same port.
    init(
        on address: SocketAddress, takesBoth: Bool = false, isShared: Bool = false, reactor: Reactor
    ) throws(ReactorError) {
        let fd = try SystemSocket.bound(
            to: address, type: SystemSocket.stream, isShared: isShared, takesBoth: takesBoth, for: .listen)
        self.address = SystemSocket.localAddress(of: fd) ?? address
        try super.init(fd, on: reactor)
        guard listen(fd, Self.backlog) == 0 else {
            let error = ReactorError(.listen, code: SystemSocket.lastError, "\(address)")
            self.closeSocket()
            throw error
        }
        self.watch(readable: true, writable: false)
    }

    /// Takes over a socket that listens already.
    init(_ inherited: ServiceManager.Inherited, reactor: Reactor) throws(ReactorError) {
        self.address = inherited.address
        try super.init(inherited.descriptor, on: reactor)
        self.watch(readable: true, writable: false)
    }

    /// Accepts nothing more; connections that are open stay.
    package func close() {
        if let retry = self.retry.take() { self.reactor.cancel(retry) }
        self.closeSocket()
    }

    /// Takes over the descriptors.
    func arrived(_ arrivals: [Arrival]) {}

    override func readable() {
        var arrivals: [Arrival] = []
        while arrivals.count < Self.acceptsPerTurn, let arrival = self.acceptOne() { arrivals.append(arrival) }
        if !arrivals.isEmpty { self.arrived(arrivals) }
    }

    private func acceptOne() -> Arrival? {
        var system = SystemAddress()
        let fd = unsafe system.withSockaddr { unsafe parley_accept(self.fd, $0, &$1) }
        guard fd >= 0 else {
            self.acceptFailed(SystemSocket.lastError)
            return nil
        }
        let peer = system.socketAddress ?? self.address
        return Arrival(fd: fd, peer: SocketAddress(peer.ip.unmapped, port: peer.port))
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
