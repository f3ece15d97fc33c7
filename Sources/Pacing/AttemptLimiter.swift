package import Vocabulary

/// Exponential back-off for repeated attempts: some are free, then each has to wait twice as long as the last.
///
/// An attempt counts as failed from its beginning, so a thousand at once are no way around.
package struct AttemptLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Policy: Hashable, Sendable {
        /// How many attempts cost nothing.
        package var free: Int
        /// The wait after the first that is not free; each next one doubles it.
        package var firstDelay: Duration
        package var maximumDelay: Duration
        /// Who is quiet for so long starts anew.
        package var forgetsAfter: Duration
        /// How many keys are remembered at most.
        package var capacity: Int

        package init(
            free: Int, firstDelay: Duration = .seconds(1), maximumDelay: Duration,
            forgetsAfter: Duration = .seconds(3600), capacity: Int = 20_000
        ) {
            self.free = free
            self.firstDelay = firstDelay
            self.maximumDelay = maximumDelay
            self.forgetsAfter = forgetsAfter
            self.capacity = capacity
        }
    }

    package struct Refusal: Error, Hashable, Sendable {
        package let retryAfter: Duration

        package init(retryAfter: Duration) { self.retryAfter = retryAfter }
    }

    private struct History {
        var count = 0
        var last: Instant
    }

    private let policy: Policy
    private var histories: GenerationalCache<Key, History>

    package init(_ policy: Policy) {
        self.policy = policy
        self.histories = GenerationalCache(capacity: policy.capacity)
    }

    /// An attempt begins. Refused attempts are not counted, so waiting always helps.
    package mutating func began(_ key: Key, at now: Instant) throws(Refusal) {
        var history = self.history(of: key, at: now)
        let allowed = history.last + self.delay(after: history.count)
        guard history.count < self.policy.free || now >= allowed else {
            // A refusal refreshes the entry, so a persistent client is not forgotten.
            self.histories.remember(history, of: key)
            throw Refusal(retryAfter: now.duration(to: allowed))
        }
        history.count += 1
        history.last = now
        self.histories.remember(history, of: key)
    }

    /// The attempt succeeded and the client is authenticated: the history is cleared.
    package mutating func reset(_ key: Key) {
        self.histories.forget(key)
    }

    /// The attempt succeeded or failed on our side: it does not count, but those before do.
    package mutating func cancelled(_ key: Key) {
        guard var history = self.histories[key], history.count > 0 else { return }
        history.count -= 1
        self.histories.remember(history, of: key)
    }

    /// How many attempts are remembered of it.
    package func count(of key: Key, at now: Instant) -> Int { self.history(of: key, at: now).count }

    package var rememberedKeys: Int { self.histories.count }

    private func history(of key: Key, at now: Instant) -> History {
        guard let known = self.histories[key], now < known.last + self.policy.forgetsAfter else {
            return History(last: now)
        }
        return known
    }

    private func delay(after count: Int) -> Duration {
        let doublings = count - self.policy.free
        guard doublings >= 0 else { return .zero }
        // Twenty doublings of a second are twelve days; more would only run over.
        return min(self.policy.firstDelay * (1 << min(doublings, 20)), self.policy.maximumDelay)
    }
}
