package import Vocabulary

/// Who may begin a session: so many at once and then so many a second from one client prefix, and so many that are open.
package struct SessionAdmission: Sendable {
    package struct Limits: Hashable, Sendable {
        package var rate = TokenBucket.Rate(perSecond: 50, burst: 500)
        /// Sessions that one client prefix may have open.
        package var maximumOpen = 2_000
        /// Whether loopback counts: a proxy on this machine may speak for many clients.
        package var countsThisMachine = false
        /// How many prefixes are remembered at most; those who have been quiet for the longest start anew.
        package var capacity = 20_000

        package init() {}
    }

    package enum Refusal: Error, Hashable, Sendable {
        case tooOften(retryAfter: Duration)
        case tooMany
    }

    private let limits: Limits
    private var buckets: GenerationalCache<IPAddress, TokenBucket>
    private var open = PrefixCount()

    package init(_ limits: Limits) {
        self.limits = limits
        self.buckets = GenerationalCache(capacity: limits.capacity)
    }

    package var rememberedPrefixes: Int { self.buckets.count }

    /// A client wants to begin a session. What was granted is given back with `left`.
    package mutating func arrived(from address: IPAddress, at now: Instant) throws(Refusal) {
        guard self.counts(address) else { return }
        if let wait = self.wait(of: address.clientPrefix, at: now) { throw .tooOften(retryAfter: wait) }
        guard self.open.add(address, atMost: self.limits.maximumOpen) else { throw .tooMany }
    }

    /// A session from there has ended.
    package mutating func left(_ address: IPAddress) {
        if self.counts(address) { self.open.remove(address) }
    }

    private func counts(_ address: IPAddress) -> Bool { self.limits.countsThisMachine || !address.isLoopback }

    private mutating func wait(of clientPrefix: IPAddress, at now: Instant) -> Duration? {
        var bucket = self.buckets[clientPrefix] ?? TokenBucket(self.limits.rate, at: now)
        defer { self.buckets.remember(bucket, of: clientPrefix) }
        return bucket.take(at: now)
    }
}
