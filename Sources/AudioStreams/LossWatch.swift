internal import Vocabulary

/// How much gets lost on the way, and how much that matters: what helps against it costs, so it is begun soon after a
/// loss was seen, and left off once nothing was lost for a while.
struct LossWatch: Hashable, Sendable {
    enum Level: Int, Hashable, Comparable, Sendable {
        case none, some, much

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// How many packets it takes to forget two thirds of what was before them.
    private static let memory = 75.0
    /// One packet of a clean second is an accident, two are a loss.
    private static let some = 0.015
    private static let much = 0.03
    private static let recoveryTimeout = Duration.seconds(6)
    /// Feedback about single packets says the same as reports, and sooner.
    private static let freshness = Duration.seconds(2)

    /// How many lost packets it takes to forget two thirds of what was before them, and how many to say anything.
    private static let burstMemory = 30.0
    private static let leastForBursts = 12.0
    /// Of all that is lost, right behind another: where a fifth is lost by chance that is a fifth.
    private static let bursty = 0.46
    private static let calm = 0.36

    private(set) var share = 0.0
    private(set) var level = Level.none
    private var lastTrouble: Instant?
    private var lastFeedback: Instant?
    /// Packets get lost together, more than chance would have it.
    private(set) var isBursty = false
    private var lostSoFar = 0.0
    private var shareTogether = 0.0

    /// - Parameter lostTogether: of the lost, right behind another.
    mutating func heard(received: Int, lost: Int, lostTogether: Int, at now: Instant) {
        self.lastFeedback = now
        self.add(lost: lost, together: lostTogether)
        self.add(lost: lost, of: received + lost, at: now)
    }

    /// - Parameter count: of packets since the report before.
    mutating func heard(fractionLost: Double, of count: Int, at now: Instant) {
        if let lastFeedback, lastFeedback + Self.freshness > now { return }
        self.add(lost: Int((fractionLost * Double(count)).rounded()), of: count, at: now)
    }

    private mutating func add(lost: Int, together: Int) {
        guard lost > 0 else { return }
        self.lostSoFar += Double(lost)
        let weight = Double(lost) / min(max(self.lostSoFar, Double(lost)), max(Self.burstMemory, Double(lost)))
        self.shareTogether += (Double(together) / Double(lost) - self.shareTogether) * weight
        guard self.lostSoFar >= Self.leastForBursts else { return }
        self.isBursty = self.shareTogether >= (self.isBursty ? Self.calm : Self.bursty)
    }

    private mutating func add(lost: Int, of count: Int, at now: Instant) {
        guard count > 0 else { return }
        let weight = min(Double(count) / Self.memory, 0.9)
        self.share += (Double(lost) / Double(count) - self.share) * weight
        let seen: Level = self.share >= Self.much ? .much : self.share >= Self.some ? .some : .none
        if seen >= self.level { self.lastTrouble = now }
        if seen > self.level {
            self.level = seen
        } else if let last = self.lastTrouble, last + Self.recoveryTimeout <= now {
            self.level = max(seen, Level(rawValue: self.level.rawValue - 1) ?? .none)
            self.lastTrouble = now
        }
    }
}
