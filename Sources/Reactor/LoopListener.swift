package import Vocabulary

/// Accepts connections that stay on its own loop, for an owner that lives there.
@safe package final class LoopListener: TCPDoor {
    /// Makes what handles a fresh connection. Nil turns it away.
    private let accept: (TCPConnection) -> (any StreamHandler)?

    /// - Parameter isShared: whether connections leave from the same port.
    package init(
        on address: SocketAddress, isShared: Bool = false, reactor: Reactor,
        accept: @escaping (TCPConnection) -> (any StreamHandler)?
    ) throws(ReactorError) {
        self.accept = accept
        try super.init(on: address, isShared: isShared, reactor: reactor)
    }

    override func arrived(_ arrivals: [Arrival]) {
        for arrival in arrivals {
            guard let connection = try? TCPConnection(arrival.fd, peer: arrival.peer, on: self.reactor) else {
                continue
            }
            if let handler = self.accept(connection) { connection.start(handler) } else { connection.abort() }
        }
    }
}
