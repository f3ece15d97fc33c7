internal import Vocabulary

/// How much goes through a transport, from when its packets left and arrived.
///
/// Where more is sent than goes through, packets wait in line, and even the quickest take ever longer. So it looks at the
/// quickest of each half second: jitter touches them least. When they have become slower twice in a row, by more than
/// jitter explains, less is sent than arrived; when no line is left, a little more.
struct BandwidthEstimator: Sendable {
    private static let interval: Int64 = 500_000_000
    /// So many intervals back, the quickest of all is what the way takes without a line.
    private static let memory = 20
    /// A line of this length is nothing to worry about …
    private static let shortLine: Int64 = 25_000_000
    /// … and that much more is growth.
    private static let growth: Int64 = 4_000_000
    /// Where so many are lost behind a long line, the line cannot grow any more.
    private static let overflow = 0.1
    private static let step = 1.04

    private let bounds: ClosedRange<Int>
    private(set) var bitRate: Int
    private(set) var isCongested = false
    /// The quickest transit of each interval, the latest last.
    private var quickest: [Int64] = []
    private var growths = 0
    private var intervalEnd: Int64?
    private var least = Int64.max
    /// The sum of how far each transit was from the one before.
    private var changes: Int64 = 0
    private var lastTransit: Int64?
    private var count = 0
    private var bytes = 0
    private var received = 0
    private var lost = 0

    init(starting bitRate: Int, within bounds: ClosedRange<Int>) {
        self.bitRate = bitRate
        self.bounds = bounds
    }

    /// - Parameter arrival: in nanoseconds of the other side's clock.
    mutating func arrived(_ packet: SentPackets.Arrival, at arrival: Int64) {
        let transit = arrival &- packet.sent
        self.least = min(self.least, transit)
        if let last = self.lastTransit { self.changes += min(abs(transit &- last), 1_000_000_000) }
        self.lastTransit = transit
        self.count += 1
        self.bytes += packet.bytes
    }

    mutating func judged(received: Int, lost: Int) {
        self.received += received
        self.lost += lost
    }

    /// After each feedback.
    mutating func clockAdvanced(to now: Instant) {
        guard let end = self.intervalEnd else {
            self.intervalEnd = now.nanoseconds &+ Self.interval
            return
        }
        guard now.nanoseconds >= end else { return }
        let duration = now.nanoseconds &- end &+ Self.interval
        if self.least != .max { self.close(after: duration) }
        self.intervalEnd = now.nanoseconds &+ Self.interval
        (self.least, self.bytes, self.received, self.lost) = (.max, 0, 0, 0)
        (self.changes, self.count) = (0, 0)
    }

    private mutating func close(after duration: Int64) {
        let last = self.quickest.last ?? self.least
        let base = min(self.least, self.quickest.min() ?? self.least)
        let jitter = self.changes / Int64(max(1, self.count))
        let longest = Self.shortLine + 2 * jitter
        let line = self.least &- base
        self.growths = self.least &- last > Self.growth + jitter ? self.growths + 1 : 0
        if self.quickest.count >= Self.memory { self.quickest.removeFirst() }
        self.quickest.append(self.least)
        let lossShare = Double(self.lost) / Double(max(1, self.lost + self.received))
        let isOverflowing = lossShare > Self.overflow && self.least &- last > -Self.growth && self.isCongested
        self.isCongested = line > longest && (self.growths >= 2 || isOverflowing)
        let arriving = Int(Double(self.bytes) * 8e9 / Double(duration))
        self.adapt(arriving, hasLine: line > longest)
    }

    private mutating func adapt(_ arriving: Int, hasLine: Bool) {
        var wanted = self.bitRate
        if self.isCongested {
            wanted = min(wanted, arriving * 17 / 20)
        } else if !hasLine, arriving * 2 > self.bitRate {
            // More than twice of what was tried is not known of.
            wanted = Int(Double(wanted) * Self.step) + 500
        }
        self.bitRate = min(max(wanted, self.bounds.lowerBound), self.bounds.upperBound)
    }
}
