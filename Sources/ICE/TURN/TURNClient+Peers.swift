internal import Bytes
internal import STUN
package import Vocabulary

// MARK: - Sending

extension TURNClient {
    /// Sends something to a peer through the relay; false when it cannot get there.
    ///
    /// The first time, the server is asked to let that peer through, and what is to be sent follows in the next packet:
    /// mostly both arrive, in this order, and no round trip is lost.
    @discardableResult
    package mutating func send(
        _ payload: Span<UInt8>, to peer: SocketAddress, at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) -> Bool {
        let peer = SocketAddress(peer.ip.unmapped, port: peer.port)
        guard self.permit(peer.ip, at: now, into: &outbox), payload.count <= 0xFFFF - 64 else { return false }
        let isPadded = self.settings.transport.isStream
        if let channel = self.peers.channel(to: peer, at: now) {
            outbox.packets.append(from: self.path, to: self.server) {
                ChannelData.write(payload, on: channel, padded: isPadded, to: &$0)
            }
        } else {
            let id = TransactionID(using: &self.random)
            var message = outbox.packets.begin(.indication, STUNMethod.send, id)
            message.append(.xorPeerAddress, peer)
            message.append(.data, payload)
            outbox.packets.finish(message, from: self.path, to: self.server)
        }
        return true
    }

    /// Lets packets from and to this address through; false when that cannot be.
    @discardableResult
    package mutating func permit(_ ip: IPAddress, at now: Instant, into outbox: inout Outbox<TURNEvent>) -> Bool {
        let ip = ip.unmapped
        guard let allocation = self.allocation, allocation.relayed(STUNAddressFamily(of: ip)) != nil else {
            return false
        }
        if self.peers.wantsPermission(ip) { self.send(.permission(ip), at: now, into: &outbox) }
        return !self.peers.isForbidden(ip)
    }

    /// Binds a channel to a peer: worth a request for more than a few packets.
    package mutating func bindChannel(to peer: SocketAddress, at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        let peer = SocketAddress(peer.ip.unmapped, port: peer.port)
        guard self.permit(peer.ip, at: now, into: &outbox), let number = self.peers.wantsChannel(peer) else { return }
        self.send(.channel(number), at: now, into: &outbox)
    }

    /// Nothing is kept alive for this address any more.
    package mutating func forget(_ ip: IPAddress) {
        self.peers.forget(ip.unmapped)
    }

    mutating func renewPeers(at now: Instant, into outbox: inout Outbox<TURNEvent>) {
        for ip in self.peers.duePermissions(at: now) { self.send(.permission(ip), at: now, into: &outbox) }
        for number in self.peers.dueChannels(at: now) { self.send(.channel(number), at: now, into: &outbox) }
    }
}

// MARK: - Receiving

extension TURNClient {
    /// Bytes from the server: one datagram, or what a stream brought. Calls `deliver` for what peers sent.
    package mutating func receive(
        _ bytes: Span<UInt8>, at now: Instant, into outbox: inout Outbox<TURNEvent>,
        deliver: (SocketAddress, Span<UInt8>) -> Void
    ) {
        // What still arrives on an abandoned connection is ignored.
        guard !self.isClosed, self.state != .reopening else { return }
        guard self.settings.transport.isStream else {
            return self.received(bytes, at: now, into: &outbox, deliver)
        }
        // It is out of the house while the messages are handed over: what they say may change the house.
        var messages = STUNStream()
        swap(&messages, &self.messages)
        do throws(ByteError) {
            try messages.take(bytes) { message in
                self.received(message, at: now, into: &outbox, deliver)
                return !self.isClosed && self.state != .reopening
            }
            self.messages = messages
        } catch {
            self.fail(.nonsense, into: &outbox)
        }
    }

    private mutating func received(
        _ bytes: Span<UInt8>, at now: Instant, into outbox: inout Outbox<TURNEvent>,
        _ deliver: (SocketAddress, Span<UInt8>) -> Void
    ) {
        guard let first = bytes.isEmpty ? nil : bytes[0] else { return }
        if first >> 6 == 1 {
            guard let data = try? ChannelData(parsing: bytes), let peer = self.peers.peer(of: data.channel) else {
                return
            }
            return deliver(peer, data.payload)
        }
        guard let message = try? STUNMessage(parsing: bytes) else { return }
        switch message.type.class {
        case .success, .error: self.answered(message, at: now, into: &outbox)
        case .indication: self.indicated(message, deliver)
        case .request: return
        }
    }

    /// Indications are not authenticated, so only those from permitted peers are accepted (RFC 8656 §11.4).
    private func indicated(_ message: STUNMessage, _ deliver: (SocketAddress, Span<UInt8>) -> Void) {
        guard message.type.method == STUNMethod.data, let peer = message.address(of: .xorPeerAddress),
            let payload = message.value(of: .data)
        else { return }
        let source = SocketAddress(peer.ip.unmapped, port: peer.port)
        if self.peers.isExpected(source.ip) { deliver(source, payload) }
    }
}
