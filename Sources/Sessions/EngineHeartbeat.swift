import SocketIO
import Vocabulary

/// Who asks whether the other is still there, and when silence has lasted too long.
///
/// Version 4: the server pings every interval and wants to hear something within the timeout.
/// Version 3: the client pings; the server waits for interval and timeout together.
struct EngineHeartbeat: Sendable {
    enum Alarm: Hashable, Sendable { case ping, silence }

    private enum State: Sendable {
        /// Can become: awaiting.
        case quiet(nextPing: Instant)
        /// A ping of ours is out. Can become: quiet.
        case awaiting(until: Instant)
        /// Only the client of version 3 asks. The only state there.
        case listening(until: Instant)
    }

    private var state: State

    init(_ version: EngineVersion, _ settings: EngineSettings, at now: Instant) {
        switch version {
        case .v4: self.state = .quiet(nextPing: now + settings.pingInterval)
        case .v3: self.state = .listening(until: Self.silenceDeadline(settings, from: now))
        }
    }

    var deadline: Instant {
        switch self.state {
        case .quiet(let deadline), .awaiting(let deadline), .listening(let deadline): deadline
        }
    }

    /// Anything a client sends shows that it is there.
    mutating func heard(_ settings: EngineSettings, at now: Instant) {
        switch self.state {
        case .quiet: break
        case .awaiting: self.state = .awaiting(until: now + settings.pingTimeout - EngineSettings.slack)
        case .listening: self.state = .listening(until: Self.silenceDeadline(settings, from: now))
        }
    }

    /// Whether the pong answers a ping of ours.
    mutating func ponged(_ settings: EngineSettings, at now: Instant) -> Bool {
        guard case .awaiting = self.state else { return false }
        self.state = .quiet(nextPing: now + settings.pingInterval)
        return true
    }

    mutating func clockAdvanced(_ settings: EngineSettings, to now: Instant) -> Alarm? {
        guard now >= self.deadline else { return nil }
        switch self.state {
        case .quiet:
            self.state = .awaiting(until: now + settings.pingTimeout - EngineSettings.slack)
            return .ping
        case .awaiting, .listening:
            return .silence
        }
    }

    private static func silenceDeadline(_ settings: EngineSettings, from now: Instant) -> Instant {
        now + settings.pingInterval + settings.pingTimeout - EngineSettings.slack
    }
}
