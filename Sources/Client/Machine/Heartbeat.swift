import SocketIO
import Vocabulary

/// Knows when silence has become too long: the server promised a ping in every interval.
struct Heartbeat {
    private let patience: Duration
    private(set) var deadline: Instant

    /// A server that promises nothing sensible is held to something sensible.
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(600)

    init(_ opening: EngineOpening, at now: Instant) {
        let interval = min(max(opening.pingInterval, .zero), Self.longest)
        let timeout = min(max(opening.pingTimeout, .zero), Self.longest)
        self.patience = max(interval + timeout, Self.shortest)
        self.deadline = now + self.patience
    }

    mutating func heard(at now: Instant) {
        self.deadline = now + self.patience
    }
}
