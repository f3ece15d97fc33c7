/// Stands between two clocks that both say 48 kHz and differ by a little: what is filled by the one is read by the other,
/// slightly quicker or slower, so that what waits stays as much as it should be.
///
/// While what waits is close to that, samples pass as they are.
package struct DriftBuffer: Sendable {
    private var queue: SampleQueue
    /// How far the next sample lies behind the first one of the queue, from 0 to 1.
    private var phase = 0.0
    /// What waited when it was read, smoothed over a second or so; nil before the first time.
    private var meanLevel: Double?
    /// Nothing is read until so much waits: at the beginning, and after it ran dry.
    private var isFilling = true
    /// Of what waits before a read, in samples, where everything comes in time.
    private let leastTarget: Int
    /// More than that, because it ran dry; forgotten again in the course of a minute.
    private var caution = 0.0
    package private(set) var underruns = 0
    package private(set) var jumps = 0

    /// A millisecond more or less is jitter, and no drift.
    private static let tolerance = 60.0
    /// Two milliseconds more than that are followed with 300 parts in a million: a card's quartz has less.
    private static let gain = 0.0003 / 100
    /// Quicker or slower than this would be heard as another pitch.
    private static let maximumCorrection = 0.004
    /// So much more than it should be is not followed but cut off: 60 ms.
    private static let maximumSurplus = 2880
    /// What is waited longer after it ran dry: 5 ms each time, 40 ms in all.
    private static let cautionStep = 240.0
    private static let maximumCaution = 1920.0
    /// Of the caution, with each sample: a tenth of a millisecond in a second.
    private static let cautionDecay = 0.0001
    /// A curve through a sample needs one before it and two behind.
    private static let margin = 3

    package init(target: Int) {
        self.leastTarget = max(target, 1)
        self.queue = SampleQueue(capacity: self.leastTarget + 4 * Self.maximumSurplus)
    }

    private var target: Int { self.leastTarget + Int(self.caution) }

    /// What waits, in samples.
    package var level: Int { self.queue.count }

    /// How much quicker than filled it is read: 0 while clocks agree.
    package var correction: Double {
        guard let meanLevel = self.meanLevel else { return 0 }
        let deviation = meanLevel - Double(self.target)
        let beyond = max(abs(deviation) - Self.tolerance, 0)
        return min(beyond * Self.gain, Self.maximumCorrection) * (deviation < 0 ? -1 : 1)
    }

    package mutating func append(_ sound: Span<Float>) { self.queue.append(sound) }

    package mutating func removeAll() {
        self.queue.removeAll()
        (self.phase, self.meanLevel, self.isFilling) = (0, nil, true)
    }

    /// Whether `count` samples would come out whole.
    package func holds(_ count: Int) -> Bool {
        let needed = Int(Double(count) * (1 + Self.maximumCorrection)) + Self.margin
        return self.queue.count >= (self.isFilling ? max(needed, self.target) : needed)
    }

    /// Fills `sound`; with silence where nothing is. False then.
    @discardableResult
    package mutating func read(into sound: inout MutableSpan<Float>) -> Bool {
        guard self.holds(sound.count) else {
            self.ranDry()
            for index in sound.indices { sound[index] = 0 }
            return false
        }
        // Pieces are larger than what is missing: what is too much would be waited for to the end.
        if self.isFilling { self.queue.drop(self.queue.count - self.target) }
        self.isFilling = false
        self.measure(over: sound.count)
        self.resample(into: &sound)
        return true
    }

    private mutating func ranDry() {
        guard !self.isFilling else { return }
        self.isFilling = true
        self.underruns += 1
        self.caution = min(self.caution + Self.cautionStep, Self.maximumCaution)
    }

    private mutating func measure(over count: Int) {
        if self.queue.count > self.target + Self.maximumSurplus {
            self.queue.drop(self.queue.count - self.target)
            self.meanLevel = nil
            self.jumps += 1
        }
        self.caution = max(0, self.caution - Double(count) * Self.cautionDecay)
        let level = Double(self.queue.count)
        let share = min(1, Double(count) / 48_000)
        self.meanLevel = self.meanLevel.map { $0 + share * (level - $0) } ?? level
    }

    private mutating func resample(into sound: inout MutableSpan<Float>) {
        let step = 1 + self.correction
        for index in sound.indices {
            let offset = Int(self.phase)
            sound[index] = self.sample(offset, Float(self.phase - Double(offset)))
            self.phase += step
        }
        let used = Int(self.phase)
        self.queue.drop(used)
        self.phase -= Double(used)
    }

    /// The second of four samples, or what lies behind it on a cubic curve through all of them (Catmull and Rom's).
    private func sample(_ offset: Int, _ fraction: Float) -> Float {
        let b = self.queue[offset + 1]
        guard fraction > 0 else { return b }
        let (a, c, d) = (self.queue[offset], self.queue[offset + 2], self.queue[offset + 3])
        let (first, second) = (c - a, 2 * a - 5 * b + 4 * c - d)
        let third = 3 * (b - c) + d - a
        return b + 0.5 * fraction * (first + fraction * (second + fraction * third))
    }
}
