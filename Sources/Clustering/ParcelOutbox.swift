internal import BinaryCoding

/// What one node has to say to another one, numbered, and kept until that one has it: so a parcel whose way broke goes by the other one, and
/// the other side knows it by its number if it had come after all.
package struct ParcelOutbox {
    /// When it began to count.
    package let series: UInt64
    package private(set) var lastNumber: UInt64 = 0
    /// What was given to some way already. From there on is what has to be sent next.
    private var handed: UInt64 = 0
    /// Encoded; the last of them has the last number.
    private var kept: [[UInt8]] = []
    private var keptBytes = 0
    /// How many of the first of `kept` are over.
    private var gone = 0

    /// Beyond that the first ones are dropped; the other side sees that by the numbers.
    package static let mostKept = 1_024
    package static let maximumKeptBytes = 4 << 20

    package init(series: UInt64) { self.series = series }

    private var firstKept: UInt64 { self.lastNumber - UInt64(self.kept.count - self.gone) + 1 }
    /// The other side has everything.
    package var isEmpty: Bool { self.kept.count == self.gone }
    package var isWaiting: Bool { self.handed < self.lastNumber }

    package mutating func add(_ body: [UInt8], _ kind: NodeParcel.Kind, at position: LedgerPosition) {
        self.lastNumber += 1
        let parcel = NodeParcel(
            series: self.series, number: self.lastNumber, position: position, kind: kind, body: body)
        self.kept.append(parcel.encoded)
        self.keptBytes += self.kept[self.kept.count - 1].count
        while self.kept.count - self.gone > Self.mostKept
            || (self.keptBytes > Self.maximumKeptBytes && self.kept.count - self.gone > 1)
        {
            self.dropFirst()
        }
    }

    /// What was not given to any way yet, in its order; from now on it was.
    package mutating func takeWaiting() -> ArraySlice<[UInt8]> {
        let start = max(self.handed + 1, self.firstKept)
        self.handed = self.lastNumber
        return self.kept[(self.kept.count - Int(self.lastNumber + 1 - start))...]
    }

    /// The other side has everything up to there.
    package mutating func received(_ series: UInt64, through number: UInt64) {
        guard series == self.series, number <= self.lastNumber else { return }
        while self.gone < self.kept.count, self.firstKept <= number { self.dropFirst() }
        self.handed = max(self.handed, number)
    }

    /// The way that it was given to is no more. What the other side has not said to have has to be sent again.
    package mutating func wayBroke() { self.handed = min(self.handed, self.firstKept - 1) }

    private mutating func dropFirst() {
        self.keptBytes -= self.kept[self.gone].count
        self.kept[self.gone] = []
        self.gone += 1
        guard self.gone > 64, self.gone * 2 > self.kept.count else { return }
        self.kept.removeFirst(self.gone)
        self.gone = 0
    }
}
