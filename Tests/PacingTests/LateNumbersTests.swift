import Testing
import Vocabulary

@testable import Pacing

@Suite("Numbers whose rows come late")
struct LateNumbersTests {
    private let start = Instant(milliseconds: 1000)

    @Test("Y03 what lies between rows that were taken is looked for, each number once")
    func gaps() {
        var late = LateNumbers()
        late.took([4, 5, 9], after: 3, at: self.start)
        let before = late.wanted
        #expect(before == RangeSet(6..<9))
        let found = [7, 7, 5].map { late.found($0) }
        #expect(found == [true, false, false])
        let after = late.wanted
        #expect(after == RangeSet([6..<7, 8..<9]))
    }

    @Test("Y03 before the first row a thousand are looked for, until every transaction is over that can bring them")
    func ends() {
        var late = LateNumbers()
        late.took([5000], after: 0, at: self.start)
        // It had been asked for before the gap was seen: later transactions may have been at it.
        late.looked(oldestOpen: 90, next: 91, at: self.start + .milliseconds(-1))
        // Now it is known which ones those can be.
        late.looked(oldestOpen: 70, next: 100, at: self.start)
        late.looked(oldestOpen: 99, next: 300, at: self.start + .seconds(90))
        #expect(late.wanted == RangeSet(4000..<5000))
        late.looked(oldestOpen: 100, next: 300, at: self.start + .seconds(91))
        #expect(late.wanted.isEmpty && late.isEmpty)
    }

    @Test("Y03 a gap is given up after ten minutes, whatever transaction is still open")
    func timeout() {
        var late = LateNumbers()
        late.took([2, 4], after: 1, at: self.start)
        late.looked(oldestOpen: 1, next: 5, at: self.start)
        late.looked(oldestOpen: 1, next: 900, at: self.start + .seconds(599))
        #expect(late.wanted == RangeSet(3..<4))
        late.looked(oldestOpen: 1, next: 900, at: self.start + .seconds(600))
        #expect(late.isEmpty)
    }

    @Test("Y03 beyond so many gaps none is forgotten")
    func many() {
        var late = LateNumbers()
        let numbers = (1...Int64(LateNumbers.maximum) + 10).map { $0 * 2 }
        late.took(numbers, after: 1, at: self.start)
        let wanted = late.wanted
        #expect(wanted.ranges.count == LateNumbers.maximum)
        #expect(numbers.dropFirst().allSatisfy { wanted.contains($0 - 1) })
    }
}
