import SocketIO
import Vocabulary

/// Knows when silence has become too long: the server promised a ping in every interval.
struct Heartbeat {
    private let timeout: Duration
    private(set) var deadline: Instant

    /// A server that promises nothing sensible is held to something sensible.
    private static let minimumInterval = Duration.seconds(1)
    private static let maximumInterval = Duration.seconds(600)

    init(_ opening: EngineOpening, at now: Instant) {
        let interval = min(max(opening.pingInterval, .zero), Self.maximumInterval)
        let timeout = min(max(opening.pingTimeout, .zero), Self.maximumInterval)
        self.timeout = max(interval + timeout, Self.minimumInterval)
        self.deadline = now + self.timeout
    }

    mutating func heard(at now: Instant) {
        self.deadline = now + self.timeout
    }
}
