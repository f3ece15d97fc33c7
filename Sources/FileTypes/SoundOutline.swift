/// How long a recording is and what it looks like: enough to draw it before it is heard.
package struct SoundOutline: Hashable, Sendable {
    package let milliseconds: Int
    /// How high each bar is drawn, of a hundred.
    package let bars: [UInt8]

    package static let barCount = 60
    package static let full: UInt8 = 100
    /// Longer ones are no messages.
    package static let longest = 3_600_000

    /// Nil for what no recording looks like.
    package init?(milliseconds: Int, bars: [UInt8]) {
        guard milliseconds > 0, milliseconds <= Self.longest else { return nil }
        guard bars.count == Self.barCount, bars.allSatisfy({ $0 <= Self.full }) else { return nil }
        self.milliseconds = milliseconds
        self.bars = bars
    }

    package var seconds: Double { Double(self.milliseconds) / 1000 }
}
