package import SocketIO
package import Vocabulary

extension EngineSession {
    /// A packet came. The shell delivers its content when, and as soon as, this says so.
    package mutating func received(
        _ packet: EnginePacket, by channel: Channel, at now: Instant, into outbox: inout EngineOutbox
    ) -> Reception {
        switch self.state {
        case .closing, .ended:
            return .handled
        case .polling where channel == .webSocket:
            // Its WebSocket was refused or dropped; what still comes from there is late.
            return .handled
        case .probing where channel == .webSocket:
            self.heartbeat.heard(self.settings, at: now)
            self.probed(packet, at: now, into: &outbox)
            return .handled
        case .polling, .probing, .webSocket:
            self.isCorked = self.isCorked || channel == .polling && self.isPosting
            self.heartbeat.heard(self.settings, at: now)
            return self.accept(packet, at: now, into: &outbox)
        }
    }

    private mutating func accept(
        _ packet: EnginePacket, at now: Instant, into outbox: inout EngineOutbox
    ) -> Reception {
        switch (packet.kind, self.version) {
        case (.message, _):
            return .deliver
        case (.ping, .v3):
            self.dispatch(.pong, into: &outbox)
        case (.pong, .v4):
            if self.heartbeat.ponged(self.settings, at: now) { outbox.append(.ponged) }
        case (.ping, .v4), (.pong, .v3):
            self.end(.transportError, into: &outbox)
        case (.close, _):
            self.end(.transportClose, into: &outbox)
        case (.upgrade, _), (.noop, _):
            // Old clients send their noop as a frame after the upgrade.
            break
        case (.open, _):
            self.end(.parseError, into: &outbox)
        }
        return .handled
    }

    /// What came is no packet.
    package mutating func receivedGarbage(by channel: Channel, into outbox: inout EngineOutbox) {
        switch self.state {
        case .probing where channel == .webSocket: self.dropProbe(into: &outbox)
        case .polling where channel == .webSocket: break
        case .polling, .probing, .webSocket: self.end(.parseError, into: &outbox)
        case .closing, .ended: break
        }
    }
}
