package import Vocabulary

/// When to do what is done again and again: at even distances from a beginning, however late one time may be.
package struct EvenPace: Sendable {
    private let step: Duration
    private var next: Instant

    /// After a longer stop it goes on with the present, and does not play at once what was missed.
    private static let maximumDelay = Duration.seconds(1)

    package init(_ step: Duration, from start: Instant) {
        self.step = step
        self.next = start
    }

    /// How long to wait for the next time.
    package mutating func wait(at now: Instant) -> Duration {
        self.next = self.next + self.step
        if self.next + Self.maximumDelay < now { self.next = now }
        return max(.zero, now.duration(to: self.next))
    }
}
