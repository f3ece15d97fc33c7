package import Vocabulary

/// Numbers that were given out and whose rows are not there yet: whoever writes beside us may commit a smaller one after a larger one.
/// They are looked for until every transaction that can bring them is over: while the store does not answer, or a writer stands still,
/// none is given up.
package struct LateNumbers: Sendable {
    private struct Gap: Sendable {
        var range: Range<Int64>
        var seen: Instant
        /// Only transactions before this one can still commit these numbers; nil until the first look after `seen`.
        var until: UInt64?
    }

    /// In ascending order.
    private var missing: [Gap] = []

    /// Other databases of the server may have a transaction open for hours; a node's own never takes so long.
    package static let timeout = Duration.seconds(600)
    /// Before the first row that is taken at all.
    private static let before: Int64 = 1000
    /// Beyond so many the last one grows: then it has numbers in it that were taken.
    package static let maximum = 5000

    package init() {}

    package var isEmpty: Bool { self.missing.isEmpty }

    /// - Parameters:
    ///   - numbers: of rows, ascending.
    ///   - last: the one taken before them; 0 for none.
    package mutating func took(_ numbers: [Int64], after last: Int64, at now: Instant) {
        var last = last
        for number in numbers {
            let low = last > 0 ? last + 1 : max(1, number - Self.before)
            if low < number { self.miss(low..<number, at: now) }
            last = number
        }
    }

    private mutating func miss(_ range: Range<Int64>, at now: Instant) {
        guard self.missing.count >= Self.maximum, let last = self.missing.last else {
            return self.missing.append(Gap(range: range, seen: now))
        }
        self.missing[self.missing.count - 1] = Gap(range: last.range.lowerBound..<range.upperBound, seen: now)
    }

    /// What to look for.
    package var wanted: RangeSet<Int64> { RangeSet(self.missing.map(\.range)) }

    /// All that is there was found by a read.
    /// - Parameters:
    ///   - oldestOpen: every transaction before this one had ended then.
    ///   - next: none from here on had begun.
    ///   - begun: when it was asked for.
    package mutating func looked(oldestOpen: UInt64, next: UInt64, at begun: Instant) {
        self.missing.removeAll { $0.seen + Self.timeout <= begun || $0.until.map { $0 <= oldestOpen } ?? false }
        for place in self.missing.indices where self.missing[place].until == nil && self.missing[place].seen <= begun {
            self.missing[place].until = next
        }
    }

    /// False for one that was not missing.
    package mutating func found(_ number: Int64) -> Bool {
        guard let place = self.missing.firstIndex(where: { $0.range.contains(number) }) else { return false }
        let gap = self.missing[place]
        let rest = [gap.range.lowerBound..<number, number + 1..<gap.range.upperBound].filter { !$0.isEmpty }
        self.missing.replaceSubrange(place...place, with: rest.map { Gap(range: $0, seen: gap.seen, until: gap.until) })
        return true
    }
}
