package import Vocabulary

/// Numbers that were given out and whose rows are not there yet: whoever writes beside us may commit a smaller one after a larger one.
/// They are looked for again until no transaction can bring them any more.
package struct LateNumbers: Sendable {
    private var missing: [(range: ClosedRange<Int64>, until: Instant)] = []

    /// Longer than a writer may stand still between a number and its commit.
    package static let timeout = Duration.seconds(5)
    /// Before the first row that is taken at all.
    private static let before: Int64 = 1000
    private static let maximum = 1000

    package init() {}

    package var isEmpty: Bool { self.missing.isEmpty }

    /// - Parameters:
    ///   - numbers: of rows, ascending.
    ///   - last: the one taken before them; 0 for none.
    package mutating func took(_ numbers: [Int64], after last: Int64, at now: Instant) {
        var last = last
        for number in numbers {
            let low = last > 0 ? last + 1 : max(1, number - Self.before)
            if low < number, self.missing.count < Self.maximum {
                self.missing.append((low...number - 1, now + Self.timeout))
            }
            last = number
        }
    }

    /// What to look for.
    package mutating func wanted(at now: Instant) -> [ClosedRange<Int64>] {
        self.missing.removeAll { $0.until <= now }
        return self.missing.map(\.range)
    }

    /// False for one that was not missing.
    package mutating func found(_ number: Int64) -> Bool {
        guard let place = self.missing.firstIndex(where: { $0.range.contains(number) }) else { return false }
        let (range, until) = self.missing.remove(at: place)
        if range.lowerBound < number { self.missing.append((range.lowerBound...number - 1, until)) }
        if number < range.upperBound { self.missing.append((number + 1...range.upperBound, until)) }
        return true
    }
}
