/// How late packets were, ever less so the longer ago it was.
struct DelayHistogram: Hashable, Sendable {
    /// Of each bucket.
    static let width: Int64 = 5_000_000
    private static let buckets = 400
    /// What is left of an entry with each that follows.
    private static let memory = 0.983

    /// Empty before the first entry, so that an unused histogram takes no memory.
    private var shares: [Double] = []
    private var count = 0
    private let initialBucket: Int

    /// Begins with a value that any measurement outweighs.
    init(initial delay: Int64) {
        self.initialBucket = Self.bucket(of: delay)
    }

    /// - Parameter delay: in nanoseconds.
    mutating func add(_ delay: Int64) {
        if self.shares.isEmpty {
            self.shares = [Double](repeating: 0, count: Self.buckets)
            self.shares[self.initialBucket] = 1
        }
        self.count += 1
        // The first entries outweigh what was assumed, so that one knows soon: 1/3, 2/4, 3/5 is left until the memory is
        // as long.
        let kept = min(Self.memory, 1 - 2 / Double(self.count + 2))
        for index in self.shares.indices { self.shares[index] *= kept }
        self.shares[Self.bucket(of: delay)] += 1 - kept
    }

    /// What so great a share of all was no later than.
    func quantile(_ share: Double) -> Int64 {
        guard !self.shares.isEmpty else { return Int64(self.initialBucket + 1) * Self.width }
        var rest = 1 - share
        for index in self.shares.indices.reversed() {
            rest -= self.shares[index]
            if rest < 0 { return Int64(index + 1) * Self.width }
        }
        return Self.width
    }

    private static func bucket(of delay: Int64) -> Int {
        Int(min(max(0, delay / self.width), Int64(self.buckets - 1)))
    }
}
