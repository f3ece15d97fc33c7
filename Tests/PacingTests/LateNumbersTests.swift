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
        let before = late.wanted(at: self.start)
        #expect(before == [6...8])
        let found = [7, 7, 5].map { late.found($0) }
        #expect(found == [true, false, false])
        let after = Set(late.wanted(at: self.start))
        #expect(after == [6...6, 8...8])
    }

    @Test("Y03 before the first row a thousand are looked for, and none for longer than five seconds")
    func ends() {
        var late = LateNumbers()
        late.took([5000], after: 0, at: self.start)
        let wanted = late.wanted(at: self.start)
        #expect(wanted == [4000...4999])
        let later = late.wanted(at: self.start + .seconds(5))
        #expect(later.isEmpty && late.isEmpty)
    }
}
