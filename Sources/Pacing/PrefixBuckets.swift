package import Vocabulary

/// A bucket of tokens for each client prefix, for work whose size is known only when it is done.
package struct PrefixBuckets: Sendable {
    private let rate: TokenBucket.Rate
    private var buckets: GenerationalCache<IPAddress, TokenBucket>

    package init(_ rate: TokenBucket.Rate, capacity: Int = 16_384) {
        self.rate = rate
        self.buckets = GenerationalCache(capacity: capacity)
    }

    /// How long this prefix has to wait after what it has cost; nil when it may go on at once.
    package mutating func spend(_ count: Int, by address: IPAddress, at now: Instant) -> Duration? {
        let prefix = address.clientPrefix
        var bucket = self.buckets[prefix] ?? TokenBucket(self.rate, at: now)
        defer { self.buckets.remember(bucket, of: prefix) }
        return bucket.spend(Double(count), at: now)
    }
}
