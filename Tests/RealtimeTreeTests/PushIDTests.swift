import TestSupport
import Testing

@testable import RealtimeTree

@Suite("The names that the tree gives")
struct PushIDTests {
    @Test("L02 Ten thousand names in steps of one millisecond and in one are unique and in order", arguments: [0, 1])
    func order(step: Int64) {
        var ids = PushIDs(SeededRandom(seed: 7))
        let made = (0..<10_000).map { ids.next(at: 1_795_321_277_330 + Int64($0) * step) }
        #expect(Set(made).count == 10_000)
        #expect(made == made.sorted())
        #expect(made.allSatisfy { $0.text.utf8.count == 20 })
        #expect(made.map(\.text) == made.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test("L02 A name begins with its time, and a clock that goes back makes none that sorts before the last")
    func time() {
        var ids = PushIDs(SeededRandom(seed: 7))
        let first = ids.next(at: 0)
        #expect(first.text.hasPrefix("--------"))
        let later = ids.next(at: 63)
        #expect(later.text.hasPrefix("-------z"))
        #expect(ids.next(at: 5) > later)
    }
}
