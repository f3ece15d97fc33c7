internal import Vocabulary

/// How much sound has to wait so that nearly every packet is there when its turn comes.
///
/// A packet is as late as it is behind the quickest one around it. The quickest is looked for in the two seconds before,
/// to know at once when packets become late, and in the two seconds after, to find out whether that was an exception or
/// the way has become longer for good: then nothing is late, and nothing has to wait for it.
struct DelayEstimator: Hashable, Sendable {
    private struct Sample: Hashable, Sendable {
        let arrival: Int64
        /// Arrival less the moment when it was sent, on whatever clock.
        let transit: Int64
    }

    private static let window: Int64 = 2_000_000_000
    /// The latest packet of each such time counts.
    private static let interval: Int64 = 250_000_000
    private static let share = 0.98
    /// So much more than usual is a spike, which counts at once.
    private static let spikeThreshold: Int64 = 30_000_000
    private static let maximumSamples = 1024

    /// Those of the last two seconds, each with the time for its judgement still to come.
    private var samples: [Sample] = []
    /// The quickest and the slowest of the same time.
    private var extremes = TransitExtremes(window: Self.window)
    private var histogram: DelayHistogram
    /// What it says, which is only asked when it has changed.
    private var usual: Int64
    /// The latest of the interval that is being judged.
    private var latest: Int64 = 0
    private var intervalEnd: Int64?
    private(set) var target: Int64
    /// What the quickest of the last two seconds took.
    private(set) var leastTransit: Int64 = 0

    init(initial delay: Int64) {
        self.histogram = DelayHistogram(initial: delay)
        self.usual = delay
        self.target = delay
    }

    /// - Parameter sent: the packet's place in its stream, in nanoseconds.
    mutating func heard(at arrival: Instant, sent: Int64) {
        let now = arrival.nanoseconds
        self.samples.append(Sample(arrival: now, transit: now &- sent))
        self.extremes.add(now &- sent, at: now)
        let (least, most) = self.extremes.bounds
        let isFull = self.samples.count > Self.maximumSamples
        while let first = self.samples.first, isFull || now - first.arrival > Self.window {
            self.samples.removeFirst()
            // The window holds all that came after it.
            self.judge(first, quickest: min(least, first.transit))
            if isFull { break }
        }
        self.leastTransit = least
        let recent = most &- least
        self.target = recent > self.usual + Self.spikeThreshold ? recent : self.usual
    }

    /// Against the quickest of those that came after it.
    private mutating func judge(_ sample: Sample, quickest: Int64) {
        self.latest = max(self.latest, sample.transit &- quickest)
        guard let end = self.intervalEnd else {
            self.intervalEnd = sample.arrival + Self.interval
            return
        }
        guard sample.arrival >= end else { return }
        self.histogram.add(self.latest)
        self.usual = self.histogram.quantile(Self.share)
        self.latest = 0
        self.intervalEnd = sample.arrival + Self.interval
    }
}

/// The least and the most of the last seconds, in steps of a twentieth of them.
private struct TransitExtremes: Hashable, Sendable {
    private struct Slot: Hashable, Sendable {
        let begin: Int64
        var least: Int64
        var most: Int64
    }

    private let window: Int64
    private var slots: [Slot] = []

    init(window: Int64) {
        self.window = window
    }

    mutating func add(_ transit: Int64, at now: Int64) {
        while let first = self.slots.first, now &- first.begin > self.window { self.slots.removeFirst() }
        if let last = self.slots.last, now &- last.begin < self.window / 20 {
            self.slots[self.slots.count - 1].least = min(last.least, transit)
            self.slots[self.slots.count - 1].most = max(last.most, transit)
        } else {
            self.slots.append(Slot(begin: now, least: transit, most: transit))
        }
    }

    var bounds: (least: Int64, most: Int64) {
        var bounds = (least: Int64.max, most: Int64.min)
        for slot in self.slots { bounds = (min(bounds.least, slot.least), max(bounds.most, slot.most)) }
        return bounds
    }
}
