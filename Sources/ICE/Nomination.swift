internal import Vocabulary

/// The nomination we stand for, which is repeated until the other side has answered it.
struct Nomination: Sendable {
    private struct Retry {
        let pair: Int
        var attempts = 0
        var next: Instant
    }

    /// The value of the NOMINATION attribute: grows when we move to a pair of lower priority
    /// (draft-thatcher-ice-renomination).
    private(set) var value: UInt32 = 1
    private var retry: Retry?

    private static let maximumAttempts = 10

    /// When to say it again.
    var deadline: Instant? { self.retry?.next }

    /// A pair was selected; what was said before is of no interest any more.
    mutating func settled() {
        self.retry = nil
    }

    /// We use another pair for reasons of our own. What the other side has said of it is outdone.
    mutating func moved(to pair: Int, nominated value: UInt32, at now: Instant) {
        // A peer may have named the highest number there is.
        let highest = max(self.value, value)
        self.value = highest == .max ? highest : highest + 1
        self.retry = Retry(pair: pair, next: now)
    }

    /// A check of ours was answered.
    mutating func answered(_ check: OutstandingChecks.Check) {
        if check.nomination == self.value, check.pair == self.retry?.pair { self.retry = nil }
    }

    /// Whether it is time to say it once more, on the pair in use.
    mutating func isDue(on selected: Int?, at now: Instant) -> Bool {
        guard var retry = self.retry else { return false }
        guard retry.pair == selected, retry.attempts < Self.maximumAttempts else {
            self.retry = nil
            return false
        }
        guard now >= retry.next else { return false }
        retry.attempts += 1
        retry.next = now + .milliseconds(20 << min(retry.attempts, 5))
        self.retry = retry
        return true
    }
}
