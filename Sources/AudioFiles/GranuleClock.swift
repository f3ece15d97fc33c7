/// Holds the granule positions of an Ogg Opus stream against the sound in it, and rules what is heard
/// (RFC 7845 §4).
struct GranuleClock: Sendable {
    struct Ruling: Hashable {
        /// Which samples of each packet are heard.
        var heard: [Range<Int>] = []
        /// Samples missing before these packets.
        var gap = 0
        /// The page's clock cannot be right.
        var contradicts = false
    }

    /// The granule position at the end of the last packet; nil before the first.
    private var position: Int64?
    private var preSkipLeft: Int
    private var hasLost = false

    init(preSkip: Int = 0) {
        self.preSkipLeft = preSkip
    }

    mutating func soundWasLost() { self.hasLost = true }

    /// Packets of these durations ended on a page that carries this granule position.
    mutating func advance(
        by durations: [Int], to granule: Int64, isLast: Bool, at offset: Int, budget: inout GapBudget
    ) throws(AudioFileError) -> Ruling {
        guard !durations.isEmpty else { return Ruling() }
        let sum = durations.reduce(0, +)
        var ruling = Ruling()
        var surplus = 0
        let end = Int64(sum).addingReportingOverflow(self.position ?? 0)
        if granule < 0 || end.overflow {
            ruling.contradicts = true
        } else if isLast, !self.hasLost, granule < end.partialValue {
            surplus = min(Int(end.partialValue - granule), sum)
        } else {
            try self.compare(granule, with: sum, at: offset, ruling: &ruling, budget: &budget)
        }
        self.position = granule < 0 ? (end.overflow ? .max : end.partialValue) : granule
        self.hasLost = false
        ruling.heard = self.trim(durations, behind: surplus, gap: ruling.gap)
        return ruling
    }

    private func compare(
        _ granule: Int64, with sum: Int, at offset: Int, ruling: inout Ruling, budget: inout GapBudget
    ) throws(AudioFileError) {
        guard let position = self.position else {
            // A recording cut out of a longer one starts late; none can start before zero (RFC 7845 §4.3).
            if granule < Int64(sum), !self.hasLost { throw AudioFileError(.wrongTime, at: offset) }
            return
        }
        // Neither can overflow: granule is not negative here, and neither is position.
        let jump = granule - position
        if jump < Int64(sum) {
            ruling.contradicts = !self.hasLost
        } else if budget.grant(jump - Int64(sum)) {
            ruling.gap = Int(jump) - sum
            ruling.contradicts = ruling.gap > 0 && !self.hasLost
        } else {
            ruling.contradicts = true
        }
    }

    private mutating func trim(_ durations: [Int], behind surplus: Int, gap: Int) -> [Range<Int>] {
        var left = durations.reduce(0, +) - surplus
        self.preSkipLeft = max(0, self.preSkipLeft - gap)
        return durations.map { duration in
            let end = min(duration, left)
            let start = min(end, self.preSkipLeft)
            left -= end
            self.preSkipLeft -= min(duration, self.preSkipLeft)
            return start..<end
        }
    }
}
