internal import Bytes
package import ICE
internal import Negotiating
package import Vocabulary

// What whoever drives the call tells it of paths and packets, under the names that the agent has for it.

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
            session.advanceMedia(to: now, into: &outbox)
        }
    }

    /// The end: whoever is there hears a goodbye, and nothing is believed any more.
    package mutating func close(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.agent.state != .closed else { return }
        self.negotiation.close()
        self.withAgent(into: &outbox, at: now) { session, outbox in
            session.sayGoodbye(at: now, into: &outbox)
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

extension Span where Element == UInt8 {
    fileprivate var first: UInt8? { self.isEmpty ? nil : self[0] }
}
