internal import BinaryCoding

/// What one node says to another one, numbered, and kept until it is acknowledged: so a message whose way broke is sent again by the other one,
/// and the receiver knows it by its number if it had come after all.
package struct SendWindow {
    /// When it began to count.
    package let series: UInt64
    package private(set) var lastNumber: UInt64 = 0
    /// Behind it is what has to be sent next.
    private var lastSent: UInt64 = 0
    /// Encoded; the last of them has the last number.
    private var kept: [[UInt8]] = []
    private var keptBytes = 0
    /// How many of the first of `kept` are over.
    private var dropped = 0

    /// Beyond that the first ones are dropped; the other side sees that by the numbers.
    package static let mostKept = 1_024
    package static let maximumKeptBytes = 4 << 20

    package init(series: UInt64) { self.series = series }

    private var firstKept: UInt64 { self.lastNumber - UInt64(self.kept.count - self.dropped) + 1 }
    /// The other side has everything.
    package var isEmpty: Bool { self.kept.count == self.dropped }
    package var hasUnsent: Bool { self.lastSent < self.lastNumber }

    package mutating func add(_ body: [UInt8], _ kind: NodeMessage.Kind, at position: LedgerPosition) {
        self.lastNumber += 1
        let message = NodeMessage(
            series: self.series, number: self.lastNumber, position: position, kind: kind, body: body)
        self.kept.append(message.encoded)
        self.keptBytes += self.kept[self.kept.count - 1].count
        while self.kept.count - self.dropped > Self.mostKept
            || (self.keptBytes > Self.maximumKeptBytes && self.kept.count - self.dropped > 1)
        {
            self.dropFirst()
        }
    }

    /// What was not sent yet, in its order; from now on it was.
    package mutating func takeUnsent() -> ArraySlice<[UInt8]> {
        let start = max(self.lastSent + 1, self.firstKept)
        self.lastSent = self.lastNumber
        return self.kept[(self.kept.count - Int(self.lastNumber + 1 - start))...]
    }

    /// The other side has everything up to there.
    package mutating func acknowledged(_ series: UInt64, through number: UInt64) {
        guard series == self.series, number <= self.lastNumber else { return }
        while self.dropped < self.kept.count, self.firstKept <= number { self.dropFirst() }
        self.lastSent = max(self.lastSent, number)
    }

    /// Its way broke: what is not acknowledged is sent again.
    package mutating func resend() { self.lastSent = min(self.lastSent, self.firstKept - 1) }

    private mutating func dropFirst() {
        self.keptBytes -= self.kept[self.dropped].count
        self.kept[self.dropped] = []
        self.dropped += 1
        guard self.dropped > 64, self.dropped * 2 > self.kept.count else { return }
        self.kept.removeFirst(self.dropped)
        self.dropped = 0
    }
}
