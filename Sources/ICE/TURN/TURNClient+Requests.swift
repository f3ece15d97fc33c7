internal import Bytes
internal import STUN
internal import Vocabulary

extension TURNClient {
    /// Writes a request, sends it, and remembers it until it is answered.
    mutating func send(
        _ purpose: TURNTransaction.Purpose, challenges: Int = 0, at now: Instant, into outbox: inout Outbox<TURNEvent>
    ) {
        let id = TransactionID(using: &self.random)
        var writer = STUNWriter(.request, purpose.method, id)
        self.write(purpose, to: &writer)
        self.signature.authentication?.sign(&writer)
        let bytes = writer.finish().bytes
        outbox.packets.append(from: self.path, to: self.server, bytes.span)
        let wait = self.settings.transport.isStream ? RetransmissionTimer.stream : self.retransmission.pause
        self.transactions[id] = TURNTransaction(
            id: id, purpose: purpose, bytes: bytes, signature: self.signature, challenges: challenges, firstSent: now,
            firstPause: self.retransmission.pause, deadline: now + wait)
    }

    private func write(_ purpose: TURNTransaction.Purpose, to writer: inout STUNWriter) {
        switch purpose {
        case .allocate: self.writeAllocate(to: &writer)
        case .refresh: writer.append(lifetime: self.settings.lifetime)
        case .close: writer.append(lifetime: .zero)
        case .permission(let ip): writer.append(.xorPeerAddress, SocketAddress(ip, port: 0))
        case .channel(let number):
            writer.append(number)
            if let peer = self.peers.peer(of: number) { writer.append(.xorPeerAddress, peer) }
        }
    }

    private func writeAllocate(to writer: inout STUNWriter) {
        writer.append(requestedTransport: 17)
        writer.append(lifetime: self.settings.lifetime)
        let families = Set(self.settings.families)
        if families.count == 2, !self.wantsOneFamily {
            // Both: IPv4 goes without saying, and only IPv6 may be additional (RFC 8656 §7.1).
            writer.append(.additionalAddressFamily, .ipv6)
            writer.append(.additionalAddressFamilyOfTheDraft, .ipv6)
        } else if self.settings.families.first == .ipv6 {
            writer.append(.requestedAddressFamily, .ipv6)
        }
    }
}

extension STUNAttributeType {
    /// What coturn still calls it, by the number of a draft. Who knows neither name ignores both.
    fileprivate static let additionalAddressFamilyOfTheDraft = STUNAttributeType(rawValue: 0x8032)
}
