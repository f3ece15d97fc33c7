internal import Vocabulary

/// How long things took, counted in buckets that are nowhere wider than 3 % of what is in them: small enough for one of each
/// measure, and exact enough for percentiles.
package struct LatencyHistogram: Hashable, Sendable {
    /// Buckets of one doubling.
    private static let steps = 32
    private static let stepBits = 5
    /// From a microsecond to a bit more than an hour.
    private static let doublings = 32

    private var buckets: [UInt32] = []
    package private(set) var count: UInt64 = 0
    package private(set) var longest = Duration.zero
    private var sum = 0.0

    package init() {}

    package mutating func add(_ time: Duration) {
        if self.buckets.isEmpty { self.buckets = [UInt32](repeating: 0, count: Self.steps * Self.doublings) }
        let microseconds = UInt64(clamping: time.clampedNanoseconds / 1000)
        self.buckets[Self.bucket(of: microseconds)] &+= 1
        self.count += 1
        self.sum += Double(microseconds)
        self.longest = max(self.longest, time)
    }

    package var mean: Duration {
        self.count == 0 ? .zero : .microseconds(Int64(self.sum / Double(self.count)))
    }

    /// So much time was enough for a share of all; zero when there are none.
    ///
    /// - Parameter share: from 0 to 1.
    package func percentile(_ share: Double) -> Duration {
        guard self.count > 0 else { return .zero }
        let rank = max(1, UInt64((share * Double(self.count)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, count) in self.buckets.enumerated() where count > 0 {
            seen += UInt64(count)
            if seen >= rank { return min(Self.upperEnd(of: index), self.longest) }
        }
        return self.longest
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        guard microseconds >= UInt64(self.steps) else { return Int(microseconds) }
        let exponent = UInt64.bitWidth - 1 - microseconds.leadingZeroBitCount
        let step = Int(microseconds >> UInt64(exponent - self.stepBits)) - self.steps
        return min((exponent - self.stepBits + 1) * self.steps + step, self.steps * self.doublings - 1)
    }

    private static func upperEnd(of bucket: Int) -> Duration {
        guard bucket >= self.steps else { return .microseconds(bucket) }
        let (doubling, step) = (bucket / self.steps - 1, bucket % self.steps)
        return .microseconds((Int64(self.steps + step + 1) << Int64(doubling)) - 1)
    }
}
