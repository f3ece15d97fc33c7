internal import Vocabulary

/// What came of a run so far.
package struct LoadTally: Sendable {
    package private(set) var times: [LoadMeasure: LatencyHistogram] = [:]
    package private(set) var counts: [LoadCount: Int] = [:]
    /// What went wrong, in words, and how often. Of all kinds only the first few.
    package private(set) var complaints: [String: Int] = [:]

    private static let maximumComplaints = 20

    package init() {}

    package mutating func add(_ time: Duration, to measure: LoadMeasure) {
        self.times[measure, default: LatencyHistogram()].add(time)
    }

    package mutating func count(_ what: LoadCount, _ more: Int = 1) { self.counts[what, default: 0] += more }

    package mutating func complain(_ words: String) {
        self.count(.errors)
        guard self.complaints[words] != nil || self.complaints.count < Self.maximumComplaints else { return }
        self.complaints[words, default: 0] += 1
    }

    package func count(of what: LoadCount) -> Int { self.counts[what] ?? 0 }

    /// Of what it is a part of; nil for what stands for itself, and for a part of nothing.
    package func share(of what: LoadCount) -> Double? {
        guard let whole = what.whole else { return nil }
        let part = self.count(of: what)
        // What was lost never came: it is a part of both together.
        let all = self.count(of: whole) + (what == .lost || what == .lostSignals || what == .lostPackets ? part : 0)
        return all > 0 ? Double(part) / Double(all) : nil
    }
}
