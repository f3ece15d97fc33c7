import Testing
import Vocabulary

@testable import ICE

@Suite("A nomination")
struct NominationTests {
    @Test("A nomination outdoes the peer's, and survives the highest number a peer can send")
    func outdoesThePeer() {
        var nomination = Nomination()
        nomination.moved(to: 1, nominated: 7, at: Instant(nanoseconds: 0))
        #expect(nomination.value == 8)
        for _ in 0..<2 { nomination.moved(to: 2, nominated: .max, at: Instant(nanoseconds: 0)) }
        #expect(nomination.value == .max)
    }

    @Test("A nomination is repeated ten times, and not once the pair in use is another")
    func isRepeated() {
        var nomination = Nomination()
        var now = Instant(nanoseconds: 0)
        nomination.moved(to: 1, nominated: 1, at: now)
        var count = 0
        while let deadline = nomination.deadline, count < 20 {
            now = deadline
            if nomination.isDue(on: 1, at: now) { count += 1 }
        }
        #expect(count == 10)
        nomination.moved(to: 1, nominated: 1, at: now)
        #expect(!nomination.isDue(on: 2, at: now) && nomination.deadline == nil)
    }
}
