import Testing
import Vocabulary

@testable import Switchboard

@Suite("Turns of a user")
struct UserTurnsTests {
    private static let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    private static let bob = UserID("bob") ?? { preconditionFailure("no user id") }()

    @Test("H3 have an end: questions of one user under way: sync, lists, history, search, members")
    func turns() {
        let turns = UserTurns()
        var begun: [Int] = []
        for number in 0..<3 {
            #expect(turns.enter(Self.alice, maximumWaiting: 2) { begun.append(number) })
        }
        #expect(!turns.enter(Self.alice, maximumWaiting: 2) { begun.append(3) })
        #expect(turns.enter(Self.bob, maximumWaiting: 2) { begun.append(10) })
        #expect(begun == [0, 10])
        turns.leave(Self.alice)
        #expect(begun == [0, 10, 1])
        turns.leave(Self.alice)
        turns.leave(Self.alice)
        #expect(turns.enter(Self.alice, maximumWaiting: 0) { begun.append(4) })
        #expect(begun == [0, 10, 1, 2, 4])
    }
}
