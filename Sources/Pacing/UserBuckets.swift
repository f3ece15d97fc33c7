package import Vocabulary

/// A bucket of tokens for each user.
package struct UserBuckets: Sendable {
    private let rate: TokenBucket.Rate
    private var buckets: GenerationalCache<UserID, TokenBucket>

    package init(_ rate: TokenBucket.Rate, capacity: Int = 65_536) {
        self.rate = rate
        self.buckets = GenerationalCache(capacity: capacity)
    }

    /// How long this user has to wait; nil when there was one to take.
    package mutating func take(_ count: Double = 1, by user: UserID, at now: Instant) -> Duration? {
        var bucket = self.buckets[user] ?? TokenBucket(self.rate, at: now)
        defer { self.buckets.remember(bucket, of: user) }
        return bucket.take(count, at: now)
    }

    package mutating func giveBack(_ count: Double = 1, to user: UserID) {
        guard var bucket = self.buckets[user] else { return }
        bucket.giveBack(count)
        self.buckets.remember(bucket, of: user)
    }
}
