internal import Pacing
internal import Vocabulary
internal import Web

/// How much each user may still ask over HTTP. Lives on one loop.
final class APIAllowance {
    private let rate: TokenBucket.Rate
    private var buckets: [UserID: TokenBucket] = [:]

    /// Beyond so many users those who have asked for nothing lately are forgotten: their buckets are full.
    private static let maximumUsers = 10_000

    init(_ rate: TokenBucket.Rate) { self.rate = rate }

    var limit: Int { Int(self.rate.burst) }

    /// How many are left; or how long until there is one.
    func take(_ user: UserID, at now: Instant) -> (left: Int, wait: Duration?) {
        if self.buckets.count >= Self.maximumUsers, self.buckets[user] == nil {
            self.buckets = self.buckets.filter { $0.value.remaining(at: now) < self.limit }
        }
        var bucket = self.buckets[user] ?? TokenBucket(self.rate, at: now)
        let wait = bucket.take(at: now)
        self.buckets[user] = bucket
        return (bucket.remaining(at: now), wait)
    }

    /// What every answer says about it.
    func fields(left: Int) -> [(HTTPFieldName, String)] {
        [
            ("RateLimit-Limit", String(self.limit)), ("RateLimit-Remaining", String(left)),
            ("RateLimit-Reset", String(self.reset(left: left))),
        ]
    }

    /// In how many seconds there will be all of them again.
    func reset(left: Int) -> Int { Int((Double(self.limit - left) / self.rate.perSecond).rounded(.up)) }
}
