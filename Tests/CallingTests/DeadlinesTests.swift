import Calling
import TestSupport
import Testing
import Vocabulary

@Suite("Deadlines")
struct DeadlinesTests {
    @Test("come up in order, those of one moment in the order of their keys")
    func order() {
        var deadlines = Deadlines<String>()
        for (key, moment) in [("late", 30), ("b", 10), ("c", 10), ("a", 10)] {
            deadlines.set(Instant(milliseconds: Int64(moment)), for: key)
        }
        #expect(deadlines.popDue(at: Instant(milliseconds: 9)) == nil)
        var due: [String] = []
        while let key = deadlines.popDue(at: Instant(milliseconds: 10)) { due.append(key) }
        #expect(due == ["a", "b", "c"] && deadlines.next == Instant(milliseconds: 30))
    }

    @Test("can be moved and lifted")
    func moved() {
        var deadlines = Deadlines<String>()
        deadlines.set(Instant(milliseconds: 10), for: "a")
        deadlines.set(Instant(milliseconds: 20), for: "a")
        #expect(deadlines.next == Instant(milliseconds: 20))
        deadlines.set(nil, for: "a")
        #expect(deadlines.next == nil && deadlines.popDue(at: Instant(milliseconds: 99)) == nil)
    }

    @Test("behave like a plain table through random use", arguments: 0..<20)
    func model(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var deadlines = Deadlines<Int>()
        var table: [Int: Instant] = [:]
        for _ in 0..<1_000 {
            let key = Int.random(in: 0..<30, using: &random)
            let moment = Instant(milliseconds: .random(in: 0..<1_000, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                deadlines.set(nil, for: key)
                table[key] = nil
            case 1:
                let due = deadlines.popDue(at: moment)
                let earliest = table.values.min()
                let expected = earliest.map { $0 <= moment } ?? false
                guard (due != nil) == expected else { Issue.record("seed \(seed)"); return }
                if let due {
                    #expect(table[due] == earliest, "seed \(seed)")
                    table[due] = nil
                }
            default:
                deadlines.set(moment, for: key)
                table[key] = moment
            }
            guard deadlines.next == table.values.min() else { Issue.record("seed \(seed)"); return }
        }
    }
}
