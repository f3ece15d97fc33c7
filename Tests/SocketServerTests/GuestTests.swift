import Operations
import SocketServer
import Switchboard
import Testing
import Vocabulary

/// A guest of the switchboard needs a socket, which needs a server: so this stands here.
@Suite("A guest whose socket has gone", .timeLimit(.minutes(1)))
struct GuestTests {
    private final class Silence: Dialect {
        func event(for notice: Notice) -> SocketBroadcast? { nil }
    }

    @Test("is refused when it asks to watch somebody, because nothing would end the watch")
    func watching() async throws {
        try await play { scene in
            _ = Client(scene: scene).connected()
            let socket = try #require(scene.company.sockets.last)
            let (ann, bo) = (try #require(UserID("ann")), try #require(UserID("bo")))
            let board = Switchboard(SwitchboardSettings(), on: scene.clock) { WallTime(milliseconds: 0) }
            let guest = board.enter(
                ann, ProfileSummary(.nobody), blocking: nil, Silence(), socket, onOrdered: {})
            #expect(try board.watch([bo], by: guest).map(\.user) == [bo])
            #expect(board.watched(by: guest).keys.map(\.self) == [bo])
            board.left(guest, saidGoodbye: true)
            #expect(board.watched(by: guest).isEmpty)
            let refusal = #expect(throws: RequestError.self) { try board.watch([bo], by: guest) }
            #expect(refusal?.code == .unavailable)
            #expect(throws: RequestError.self) { try board.watchEverybody(by: guest) }
            #expect(board.watched(by: guest).isEmpty && !board.watchesEverybody(guest))
        }
    }
}
