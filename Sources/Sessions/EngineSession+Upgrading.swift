package import SocketIO
package import Vocabulary

extension EngineSession {
    /// A WebSocket came for this session. Unless it is refused it belongs to the session from now on.
    ///
    /// To refuse is to accept the WebSocket and close it: clients take an HTTP error there for one of the session.
    package mutating func webSocketArrived(at now: Instant) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .probing, .webSocket, .closing: throw .badRequest
        case .polling:
            guard self.settings.allowsUpgrade else { throw .badRequest }
            self.state = .probing(Upgrade(deadline: now + self.settings.upgradeTimeout))
        }
    }

    /// The session's WebSocket is gone.
    package mutating func webSocketClosed(into outbox: inout EngineOutbox) {
        switch self.state {
        case .probing:
            self.state = .polling
        case .webSocket:
            // There is no socket left to close.
            self.state = .polling
            self.end(.transportClose, into: &outbox)
        case .polling, .closing, .ended:
            break
        }
    }

    /// How much the session's WebSocket has not been able to write yet.
    package mutating func backlogChanged(to bytes: Int, into outbox: inout EngineOutbox) {
        guard case .webSocket = self.state, bytes > self.settings.maxQueuedBytes else { return }
        self.end(.slowReader, into: &outbox)
    }

    /// A packet from the WebSocket that wants to take over.
    mutating func probed(_ packet: EnginePacket, at now: Instant, into outbox: inout EngineOutbox) {
        switch packet.kind {
        case .ping where packet.isProbe:
            guard case .probing(var upgrade) = self.state else { return }
            upgrade.nextNoop = now
            self.state = .probing(upgrade)
            outbox.append(.write(.probeAnswer))
            self.releasePoll(at: now, into: &outbox)
        case .upgrade:
            self.upgrade(into: &outbox)
        case .open, .close, .ping, .pong, .message, .noop:
            self.dropProbe(into: &outbox)
        }
    }

    /// Polling is over; what was waiting for it goes out on the WebSocket, in order.
    private mutating func upgrade(into outbox: inout EngineOutbox) {
        self.state = .webSocket
        if self.hasPoll {
            self.hasPoll = false
            outbox.append(.answerPoll([.noop]))
        }
        outbox.append(.upgraded)
        for packet in self.queue.removeAll() { outbox.append(.write(packet)) }
    }

    /// The WebSocket did not do; polling goes on as if it had never come.
    mutating func dropProbe(into outbox: inout EngineOutbox) {
        guard case .probing = self.state else { return }
        self.state = .polling
        outbox.append(.closeSocket(code: EngineEnd.transportError.closeCode))
    }

    /// A client that wants to change over waits until no poll of its own is open, so a waiting poll is let go with
    /// nothing in it. A client that keeps polling all the same must not spin, hence the pace.
    mutating func releasePoll(at now: Instant, into outbox: inout EngineOutbox) {
        guard self.hasPoll, case .probing(var upgrade) = self.state, let nextNoop = upgrade.nextNoop,
            now >= nextNoop
        else { return }
        upgrade.nextNoop = now + self.settings.noopPace
        self.state = .probing(upgrade)
        self.hasPoll = false
        outbox.append(.answerPoll([.noop]))
    }
}
