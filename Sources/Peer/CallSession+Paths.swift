internal import Bytes
package import ICE
internal import Negotiating
package import Vocabulary

// MARK: - Paths, under the names that the agent has for it

extension CallSession: ICEMachine {
    package var usernameFragment: String { self.agent.usernameFragment }
    package var transactionTag: UInt32 { self.agent.transactionTag }

    package mutating func pathAdded(_ path: ICEPath, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.withAgent(into: &outbox, at: now) { $0.agent.pathAdded(path, at: now, into: &$1) }
    }

    package mutating func pathsEnded(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.withAgent(into: &outbox, at: now) { $0.agent.pathsEnded(at: now, into: &$1) }
    }

    package mutating func pathRemoved(_ path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.withAgent(into: &outbox, at: now) { $0.agent.pathRemoved(path, at: now, into: &$1) }
    }

    package mutating func accepted(
        _ connection: PathID, on path: PathID, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.withAgent(into: &outbox, at: now) { $0.agent.accepted(connection, on: path, at: now, into: &$1) }
    }

    package mutating func dialed(
        from path: PathID, to address: SocketAddress, _ connection: PathID?, leaving local: SocketAddress? = nil,
        at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.withAgent(into: &outbox, at: now) {
            $0.agent.dialed(from: path, to: address, connection, leaving: local, at: now, into: &$1)
        }
    }

    package mutating func nameResolved(
        _ name: String, _ ip: IPAddress?, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.withAgent(into: &outbox, at: now) { $0.agent.nameResolved(name, ip, at: now, into: &$1) }
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.withAgent(into: &outbox, at: now) { session, outbox in
            session.agent.clockAdvanced(to: now, into: &outbox)
            session.transport.clockAdvanced(to: now, &session.agent, into: &outbox)
            if session.transport.isOpen { session.media.clockAdvanced(to: now) }
            session.flush(at: now, into: &outbox)
        }
    }

    /// The end: the other side is told, and nothing of it is believed any more.
    package mutating func close(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.agent.state != .closed else { return }
        self.negotiation.close()
        self.withAgent(into: &outbox, at: now) { session, outbox in
            if session.transport.isOpen { session.media.sayGoodbye(at: now) }
            session.flush(at: now, into: &outbox)
            session.transport.close(&session.agent, at: now, into: &outbox)
            session.agent.close(into: &outbox)
        }
    }
}

// MARK: - Packets

extension CallSession {
    /// A packet came. `.data` is never the answer: what is not the agent's is the call's own.
    @discardableResult
    package mutating func received(
        _ packet: Span<UInt8>, on path: PathID, from address: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        let receipt = self.passToAgent(packet, on: path, from: address, at: now, into: &outbox)
        guard receipt == .data, let first = packet.first else {
            if receipt == .handled || receipt == .served {
                self.tap?.passed(packet, from: address, to: self.agent.address(of: path), at: now)
            }
            return receipt
        }
        // RFC 7983 §7.
        switch first {
        case 20...63:
            self.tap?.passed(packet, from: address, to: self.agent.address(of: path), at: now)
            self.withAgent(into: &outbox, at: now) { $0.transport.received(packet, &$0.agent, at: now, into: &$1) }
            return .handled
        case 128...191:
            return self.receivedMedia(packet, on: path, from: address, at: now, into: &outbox) ? .handled : .ignored
        default: return .ignored
        }
    }
}

// MARK: - Media

extension CallSession {
    /// More than this no path carries in one piece.
    private static let maximumPacketBytes = 2048

    private mutating func receivedMedia(
        _ packet: Span<UInt8>, on path: PathID, from peer: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> Bool {
        guard packet.count > 1, packet.count <= Self.maximumPacketBytes else { return false }
        // RFC 5761 §4.
        let isRTCP = (192...223).contains(packet[1])
        self.buffer.removeAll(keepingCapacity: true)
        self.buffer.append(copying: packet)
        let shown = self.tap.map { (tap: $0, from: peer, to: self.agent.address(of: path)) }
        guard Self.open(&self.buffer, isRTCP: isRTCP, &self.transport, &self.media, shown, at: now) else {
            return false
        }
        self.flush(at: now, into: &outbox)
        return true
    }

    // Static, because the bytes are lent by the session while its lines change.
    private static func open(
        _ buffer: inout [UInt8], isRTCP: Bool, _ transport: inout SecureTransport, _ media: inout SessionMedia,
        _ shown: (tap: any PacketTap, from: SocketAddress, to: SocketAddress)?, at now: Instant
    ) -> Bool {
        var packet = buffer.mutableSpan
        guard let count = transport.open(&packet, isRTCP: isRTCP) else { return false }
        let plain = packet.span.extracting(first: count)
        if let shown { shown.tap.passed(plain, from: shown.from, to: shown.to, at: now) }
        if let left = media.received(plain, isRTCP: isRTCP, at: now) { transport.forget(left) }
        return true
    }

    mutating func flush(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.media.flush(&self.transport, &self.agent, tap: self.tap, at: now, into: &outbox)
    }
}

extension Span where Element == UInt8 {
    fileprivate var first: UInt8? { self.isEmpty ? nil : self[0] }
}
