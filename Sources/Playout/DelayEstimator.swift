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
    private static let share = 0.95
    /// So much more than usual is an exception, which is believed at once.
    private static let surprise: Int64 = 30_000_000
    private static let mostSamples = 1024

    /// Those of the last two seconds, each with the time for its judgement still to come.
    private var samples: [Sample] = []
    private var histogram: DelayHistogram
    /// The latest of the interval that is being judged.
    private var latest: Int64 = 0
    private var intervalEnd: Int64?
    private(set) var target: Int64
    /// What the quickest of the last two seconds took.
    private(set) var leastTransit: Int64 = 0

    init(believing delay: Int64) {
        self.histogram = DelayHistogram(believing: delay)
        self.target = delay
    }

    /// - Parameter sent: the packet's place in its stream, in nanoseconds.
    mutating func heard(at arrival: Instant, sent: Int64) {
        let now = arrival.nanoseconds
        self.samples.append(Sample(arrival: now, transit: now &- sent))
        var judged = 0
        let isFull = self.samples.count > Self.mostSamples
        while judged < self.samples.count - 1, isFull || now - self.samples[judged].arrival > Self.window {
            self.judge(judged)
            judged += 1
            if isFull { break }
        }
        self.samples.removeFirst(judged)
        self.estimate()
    }

    /// Against the quickest of those that came after it.
    private mutating func judge(_ index: Int) {
        let sample = self.samples[index]
        let quickest = self.samples[index...].reduce(sample.transit) { min($0, $1.transit) }
        self.latest = max(self.latest, sample.transit &- quickest)
        guard let end = self.intervalEnd else {
            self.intervalEnd = sample.arrival + Self.interval
            return
        }
        guard sample.arrival >= end else { return }
        self.histogram.add(self.latest)
        self.latest = 0
        self.intervalEnd = sample.arrival + Self.interval
    }

    private mutating func estimate() {
        let usual = self.histogram.quantile(Self.share)
        let (least, most) = self.samples.reduce((Int64.max, Int64.min)) { bounds, sample in
            (min(bounds.0, sample.transit), max(bounds.1, sample.transit))
        }
        self.leastTransit = least
        let recent = most &- least
        self.target = recent > usual + Self.surprise ? recent : usual
    }
}
