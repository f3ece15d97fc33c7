package import Vocabulary

/// So much at once, and then so much a second.
package struct TokenBucket: Hashable, Sendable {
    package struct Rate: Hashable, Sendable {
        package let perSecond: Double
        package let burst: Double

        package init(perSecond: Double, burst: Double) {
            precondition(perSecond > 0 && burst >= 1, "a bucket that never fills is a wall")
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    private let rate: Rate
    private var tokens: Double
    private var filled: Instant

    package init(_ rate: Rate, at now: Instant) {
        self.rate = rate
        self.tokens = rate.burst
        self.filled = now
    }

    /// How many could be taken now.
    package func remaining(at now: Instant) -> Int {
        let elapsed = Double(max(0, now.nanoseconds - self.filled.nanoseconds)) / 1e9
        return Int(min(self.rate.burst, self.tokens + elapsed * self.rate.perSecond))
    }

    /// Nil when there are as many to take; else how long it takes until there are.
    package mutating func take(_ count: Double = 1, at now: Instant) -> Duration? {
        let elapsed = Double(max(0, now.nanoseconds - self.filled.nanoseconds)) / 1e9
        self.tokens = min(self.rate.burst, self.tokens + elapsed * self.rate.perSecond)
        self.filled = max(self.filled, now)
        guard self.tokens < count else {
            self.tokens -= count
            return nil
        }
        return .seconds((count - self.tokens) / self.rate.perSecond)
    }
}
