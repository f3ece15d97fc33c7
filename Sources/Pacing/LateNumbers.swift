package import Vocabulary

/// Numbers that were given out and whose rows are not there yet: whoever writes beside us may commit a smaller one after a larger one.
/// They are looked for until no transaction can bring them any more, and once after that: while the store does not answer none is given up.
package struct LateNumbers: Sendable {
    /// In ascending order.
    private var missing: [(range: Range<Int64>, until: Instant)] = []

    /// Longer than a writer may stand still between a number and its commit.
    package static let timeout = Duration.seconds(5)
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
            if low < number { self.miss(low..<number, until: now + Self.timeout) }
            last = number
        }
    }

    private mutating func miss(_ range: Range<Int64>, until: Instant) {
        guard self.missing.count >= Self.maximum, let last = self.missing.last else {
            return self.missing.append((range, until))
        }
        self.missing[self.missing.count - 1] = (last.range.lowerBound..<range.upperBound, until)
    }

    /// What to look for.
    package var wanted: RangeSet<Int64> { RangeSet(self.missing.map(\.range)) }

    /// All that is there was found by a read that began at this time.
    package mutating func looked(at begun: Instant) { self.missing.removeAll { $0.until <= begun } }

    /// False for one that was not missing.
    package mutating func found(_ number: Int64) -> Bool {
        guard let place = self.missing.firstIndex(where: { $0.range.contains(number) }) else { return false }
        let (range, until) = self.missing[place]
        let rest = [range.lowerBound..<number, number + 1..<range.upperBound].filter { !$0.isEmpty }
        self.missing.replaceSubrange(place...place, with: rest.map { ($0, until) })
        return true
    }
}
