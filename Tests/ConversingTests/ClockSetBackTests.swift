import Conversing
import Testing
import Vocabulary

@Suite("A conversation whose clock was a day ahead and is right again")
struct ClockSetBackTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let tomorrow = Self.now + .seconds(86_400)
    private let post = ConversationChange.post(Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8))))
    private let alice: UserID
    private let bob: UserID
    private var room: ConversationMachine

    init() throws {
        self.alice = try #require(UserID("alice"))
        self.bob = try #require(UserID("bob"))
        self.room = ConversationMachine(
            .room, members: [Member(self.alice, role: .owner), Member(self.bob)], slowMode: .seconds(10),
            settings: ConversationSettings())
        self.room.accepted(try self.room.proposal(for: self.post, by: self.bob, at: Self.tomorrow))
    }

    @Test("P16.decisions keeps nobody waiting who spoke in a time that has not come yet, and its times in order")
    mutating func pace() throws {
        let next = try self.room.proposal(for: self.post, by: self.bob, at: Self.now)
        #expect(next.entry.time == Self.tomorrow)
        self.room.accepted(next)
        #expect(throws: ConversationRefusal.tooFast(retryAfter: .seconds(10))) {
            try self.room.proposal(for: self.post, by: self.bob, at: Self.now)
        }
        // Clocks of two servers differ by a little.
        #expect(throws: ConversationRefusal.tooFast(retryAfter: .seconds(12))) {
            try self.room.proposal(for: self.post, by: self.bob, at: Self.now + .seconds(-2))
        }
        _ = try self.room.proposal(for: self.post, by: self.bob, at: Self.now + .seconds(10))
    }

    @Test("P16.decisions keeps somebody silent for as long as it said")
    mutating func silence() throws {
        let end = Self.now + .seconds(60)
        let silence = ConversationChange.silence(self.bob, until: end, reason: nil)
        self.room.accepted(try self.room.proposal(for: silence, by: self.alice, at: Self.now))
        #expect(throws: ConversationRefusal.silenced(until: end)) {
            try self.room.proposal(for: self.post, by: self.bob, at: Self.now + .seconds(59))
        }
        _ = try self.room.proposal(for: self.post, by: self.bob, at: end)
    }
}
