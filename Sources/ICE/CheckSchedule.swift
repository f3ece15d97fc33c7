internal import Vocabulary

/// When the next check goes out, and which pairs are checked before all others because the other side did
/// (RFC 8445 §6.1.4). Between two checks there is always the pacing, however late the clock is read.
struct CheckSchedule: Sendable {
    /// By their ids, the next one first.
    private var triggered: [Int] = []
    private var lastTriggered = Instant(nanoseconds: .min)
    private var sent = 0
    /// Before it no ordinary check goes out.
    private(set) var nextSlot = Instant(nanoseconds: .min)

    var hasTriggered: Bool { !self.triggered.isEmpty }

    mutating func trigger(_ pair: Int) {
        if !self.triggered.contains(pair) { self.triggered.append(pair) }
    }

    /// The pair is gone, or its question is answered.
    mutating func cancel(_ pair: Int) {
        self.triggered.removeAll { $0 == pair }
    }

    /// The pair whose triggered check is due.
    mutating func takeTriggered(_ settings: ICESettings, at now: Instant) -> Int? {
        guard let due = self.triggeredDeadline(settings), now >= due else { return nil }
        self.lastTriggered = now
        return self.triggered.removeFirst()
    }

    /// A check goes out now, of either kind.
    mutating func sent(_ settings: ICESettings, at now: Instant) {
        self.nextSlot = now + (self.sent < settings.firstChecks ? settings.firstPacing : settings.pacing)
        self.sent += 1
    }

    func triggeredDeadline(_ settings: ICESettings) -> Instant? {
        self.triggered.isEmpty ? nil : self.lastTriggered + settings.triggeredPacing
    }
}
