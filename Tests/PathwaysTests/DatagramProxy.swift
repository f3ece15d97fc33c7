import Bytes
import Reactor
import TestSupport
import Vocabulary

/// A NAT that loses packets, between clients of UDP and a server: each client comes from a port of its own, but for the first few, who come
/// from the same, one after the other.
final class DatagramProxy: DatagramHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    private let server: SocketAddress
    private let loss: Double
    private let sharing: Int
    private let reactor: Reactor
    private let front: UDPSocket
    private var backs: [SocketAddress: UDPSocket] = [:]
    /// Who gets what comes back to a port.
    private var clients: [SocketAddress: SocketAddress] = [:]
    private var random = SeededRandom(seed: 6)
    private var lost = 0

    private init(to server: SocketAddress, loss: Double, sharing: Int, on reactor: Reactor) throws {
        self.server = server
        self.loss = loss
        self.sharing = sharing
        self.reactor = reactor
        self.front = try UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: reactor)
        self.front.start(self)
    }

    /// Lends its address, and says how many packets it lost and from how many ports clients came.
    static func with(
        to server: SocketAddress, loss: Double = 0, sharing: Int = 0, _ body: (SocketAddress) async throws -> Void
    ) async throws -> (lost: Int, clients: Int) {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        let proxy = try await withCheckedThrowingContinuation { continuation in
            group.loops[0].execute { reactor in
                continuation.resume(
                    with: Result { try DatagramProxy(to: server, loss: loss, sharing: sharing, on: reactor) })
            }
        }
        try await body(proxy.front.address)
        return await withCheckedContinuation { continuation in
            group.loops[0].execute { _ in
                for socket in [proxy.front] + proxy.backs.values { socket.close() }
                continuation.resume(returning: (proxy.lost, proxy.backs.count))
            }
        }
    }

    func received(_ datagram: Span<UInt8>, from peer: SocketAddress, on socket: UDPSocket) {
        guard Double.random(in: 0..<1, using: &self.random) >= self.loss else {
            self.lost += 1
            return
        }
        guard socket === self.front else {
            if let client = self.clients[socket.address] { self.front.send(datagram, to: client) }
            return
        }
        guard let back = self.back(of: peer) else { return }
        self.clients[back.address] = peer
        back.send(datagram, to: self.server)
    }

    private func back(of client: SocketAddress) -> UDPSocket? {
        if let known = self.backs[client] { return known }
        if self.backs.count < self.sharing, let first = self.backs.values.first {
            self.backs[client] = first
            return first
        }
        let made = try? UDPSocket(on: SocketAddress(.loopback, port: 0), reactor: self.reactor)
        made?.start(self)
        self.backs[client] = made
        return made
    }
}
