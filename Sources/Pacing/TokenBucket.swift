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

    /// Takes them in any case, and says how long it takes until the bucket is no longer overdrawn; nil when it is not.
    package mutating func spend(_ count: Double, at now: Instant) -> Duration? {
        self.fill(at: now)
        self.tokens -= count
        return self.tokens < 0 ? .seconds(-self.tokens / self.rate.perSecond) : nil
    }

    /// Nil when there are as many to take; else how long it takes until there are.
    package mutating func take(_ count: Double = 1, at now: Instant) -> Duration? {
        self.fill(at: now)
        guard self.tokens < count else {
            self.tokens -= count
            return nil
        }
        return .seconds((count - self.tokens) / self.rate.perSecond)
    }

    /// What was taken was not needed.
    package mutating func giveBack(_ count: Double = 1) { self.tokens = min(self.rate.burst, self.tokens + count) }

    private mutating func fill(at now: Instant) {
        let elapsed = Double(max(0, now.nanoseconds - self.filled.nanoseconds)) / 1e9
        self.tokens = min(self.rate.burst, self.tokens + elapsed * self.rate.perSecond)
        self.filled = max(self.filled, now)
    }
}
