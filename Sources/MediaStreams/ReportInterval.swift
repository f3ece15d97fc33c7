internal import Vocabulary

/// When reports are due (RFC 3550 §6.3, with the rules of RFC 4585 §3.5 for how soon they may be): never all at once, and
/// never more than a twentieth of the media.
struct ReportInterval: Sendable {
    /// Octets of RTCP per second.
    private let bandwidth: Double
    private let least: Double
    private var averageSize = 120.0
    private var random: UInt64

    /// - Parameter least: between two reports on the whole.
    init(sessionBitRate: Int, least: Duration, seed: UInt64) {
        self.bandwidth = max(1, Double(sessionBitRate) / 8 * 0.05)
        self.least = least / .seconds(1)
        self.random = seed
    }

    /// RFC 3550 §6.3.3: a moving mean, with what UDP and IP add.
    mutating func passed(_ count: Int) {
        self.averageSize += (Double(count + 28) - self.averageSize) / 16
    }

    /// How long until the next report of one among `members`.
    mutating func next(members: Int, isFirst: Bool) -> Duration {
        let fair = self.averageSize * Double(max(2, members)) / self.bandwidth
        let interval = max(fair, isFirst ? self.least / 2 : self.least)
        // Between half and one and a half, with what makes up for reconsideration (appendix A.7).
        return .seconds(interval * (0.5 + self.nextShare()) / 1.21828)
    }

    /// Xorshift: only so that not all peers report at once.
    private mutating func nextShare() -> Double {
        self.random = self.random == 0 ? 0x9E37_79B9_7F4A_7C15 : self.random
        self.random ^= self.random << 13
        self.random ^= self.random >> 7
        self.random ^= self.random << 17
        return Double(self.random >> 11) / Double(1 << 53)
    }
}
