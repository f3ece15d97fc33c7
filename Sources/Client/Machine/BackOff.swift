/// How long to wait before one more attempt.
package struct BackOffSettings: Hashable, Sendable {
    /// Before the second attempt; each further one waits twice as long.
    package var first = Duration.seconds(1)
    package var maximum = Duration.seconds(4)
    /// Up to half of it less, so that clients which were cut off together do not come back together.
    package var jitter = 0.5

    package init() {}
}

/// Counts attempts, and says how long to wait after each.
struct BackOff {
    private let settings: BackOffSettings
    private var next: Duration

    init(_ settings: BackOffSettings) {
        self.settings = settings
        self.next = settings.first
    }

    mutating func delay(using random: inout some RandomNumberGenerator) -> Duration {
        let delay = min(self.next, self.settings.maximum)
        self.next = min(delay * 2, self.settings.maximum)
        let jitter = min(max(self.settings.jitter, 0), 1)
        return delay * Double.random(in: (1 - jitter)...1, using: &random)
    }

    mutating func reset() {
        self.next = self.settings.first
    }
}
