internal import Bytes
internal import STUN
package import Vocabulary

/// Connections with peers by TCP (RFC 6062).
extension TURNServer {
    /// §5.2.
    func connect(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        let allocation = try self.allocation(of: request)
        guard case .streams(let relay) = allocation.relays, let peer = message.address(of: .xorPeerAddress),
            peer.port != 0
        else { throw TURNRefusal(code: .badRequest) }
        try self.check(peer, for: allocation)
        // Nothing of this host is reached but other relays.
        guard
            peer.ip != relay.relayedAddress.ip || self.streamRelays.contains(peer) || self.settings.peers.names(peer.ip)
        else { throw TURNRefusal(code: .forbidden, reason: "Peers in this network are not allowed") }
        let connection = try self.newConnection(with: peer, of: allocation)
        relay.connect(to: peer) { [weak self] stream, now in self?.settle(connection, stream, request, at: now) }
    }

    private func settle(
        _ connection: PeerConnection, _ stream: (any PeerStream)?, _ request: TURNRequest, at now: Instant
    ) {
        // The allocation may have ended in the meantime.
        guard self.connections[connection.id] === connection else {
            stream?.close()
            return
        }
        if let stream {
            connection.opened(stream, at: now)
            return self.succeed(request) { $0.append(.connectionID, connection.id) }
        }
        self.remove(connection)
        let refusal = TURNRefusal(code: .connectionTimedOut)
        self.refuse(request.header, refusal, to: request.client.address, on: request.line, request.proof, at: now)
    }

    /// Whose connection is to be taken: its name may have ended, and nobody else may have it.
    func allocation(toBind message: STUNMessage) -> Allocation? {
        guard message.type.method == STUNMethod.connectionBind else { return nil }
        return message.number(of: .connectionID, as: UInt32.self).flatMap { self.connections[$0]?.allocation }
    }

    /// §5.4.
    func bindConnection(_ message: STUNMessage, _ request: TURNRequest) throws(TURNRefusal) {
        guard request.line.isStream, self.allocations[request.client] == nil, self.taken[request.client] == nil,
            let id = message.number(of: .connectionID, as: UInt32.self), let connection = self.connections[id],
            let stream = connection.take()
        else { throw TURNRefusal(code: .badRequest) }
        self.taken[request.client] = connection
        self.succeed(request)
        request.line.join(stream, of: connection.allocation.user)
    }

    /// A peer has connected to a relayed address (§5.3).
    package func accepted(_ stream: any PeerStream, for allocation: Allocation, at now: Instant) {
        guard allocation.permits(stream.peer.ip, at: now),
            let connection = try? self.newConnection(with: stream.peer, of: allocation)
        else {
            self.counts.dropped += 1
            return stream.close()
        }
        connection.opened(stream, at: now)
        self.output.removeAll()
        var random = SystemRandomNumberGenerator()
        var message = STUNWriter(
            .indication, STUNMethod.connectionAttempt, TransactionID(using: &random), into: self.output)
        message.append(.connectionID, connection.id)
        message.append(.xorPeerAddress, stream.peer)
        self.output = message.finish()
        self.flush(to: allocation.client.address, on: allocation.line)
    }

    private func newConnection(with peer: SocketAddress, of allocation: Allocation) throws(TURNRefusal)
        -> PeerConnection
    {
        guard allocation.connections[peer] == nil else { throw TURNRefusal(code: .connectionAlreadyExists) }
        guard allocation.connections.count < self.settings.connectionsPerAllocation else {
            throw TURNRefusal(code: .insufficientCapacity)
        }
        var id = UInt32.random(in: .min ... .max)
        while self.connections[id] != nil { id = UInt32.random(in: .min ... .max) }
        let connection = PeerConnection(id, with: peer, of: allocation)
        self.connections[id] = connection
        allocation.connections[peer] = connection
        self.counts.connections = self.connections.count
        return connection
    }

    func remove(_ connection: PeerConnection) {
        guard self.connections.removeValue(forKey: connection.id) != nil else { return }
        connection.allocation.connections[connection.peer] = nil
        self.counts.connections = self.connections.count
        connection.close()
    }

    /// So many bytes went from a client's connection to a peer's, or back.
    package func carried(_ count: Int, toPeer: Bool) {
        if toPeer { self.counts.bytesToPeers += count } else { self.counts.bytesToClients += count }
    }
}
