/// Whether losses come alone or together (RFC 3611 §4.7.2, appendix A.2): a burst is where fewer than sixteen packets in a
/// row arrive between two that are lost. What comes late counts as lost here.
package struct BurstMeter: Hashable, Sendable {
    private static let least = 16

    /// Of those that arrived since the last loss.
    private var run = 0
    private var lostInBurst = 0
    /// Arrived in gaps, lost alone in gaps, and losses that end a gap.
    private var arrivedInGaps = 0
    private var lostInGaps = 0
    private var gaps = 0
    /// In bursts: arrived after an arrival, arrived last before a loss, lost after a loss.
    private var arrivedInBursts = 0
    private var turns = 0
    private var lostTogether = 0

    mutating func arrived() {
        self.run += 1
    }

    mutating func lost() {
        if self.run >= Self.least {
            if self.lostInBurst == 1 { self.lostInGaps += 1 } else { self.gaps += 1 }
            self.lostInBurst = 1
            self.arrivedInGaps += self.run
        } else {
            self.lostInBurst += 1
            if self.run == 0 {
                self.lostTogether += 1
            } else {
                self.turns += 1
                self.arrivedInBursts += self.run - 1
            }
        }
        self.run = 0
    }

    /// The share of all that is lost in bursts and in gaps, in 1/256, and how long both last, in packets.
    package var result: (burstDensity: UInt8, gapDensity: UInt8, burstLength: Int, gapLength: Int) {
        let inGaps = self.arrivedInGaps + self.run + self.lostInGaps
        let gapDensity = inGaps > 0 ? 256 * self.lostInGaps / inGaps : 0
        let leaving = self.gaps + self.turns + self.lostTogether
        guard self.gaps > 0, leaving > 0 else { return (0, UInt8(clamping: gapDensity), 0, inGaps) }
        let intoArrivals = Double(self.turns) / Double(leaving)
        let arrivals = self.arrivedInBursts + self.turns
        let intoLosses = arrivals > 0 ? Double(self.turns) / Double(arrivals) : 1
        let density = 256 * intoLosses / (intoLosses + intoArrivals)
        let inBursts = self.gaps + self.arrivedInBursts + self.turns + self.lostTogether
        return (
            UInt8(clamping: Int(density)), UInt8(clamping: gapDensity), inBursts / self.gaps,
            (inGaps + self.gaps) / self.gaps
        )
    }
}
