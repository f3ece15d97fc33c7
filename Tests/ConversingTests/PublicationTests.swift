import Conversing
import Testing
import Vocabulary

@Suite("What a program publishes in somebody's name")
struct PublicationTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let (alice, bob, carol) = (Self.user("alice"), Self.user("bob"), Self.user("carol"))

    private static func user(_ text: String) -> UserID { UserID(text) ?? { preconditionFailure("no user id") }() }

    private func machine(_ kind: ConversationKind, _ members: [Member], isDissolved: Bool = false)
        -> ConversationMachine
    {
        ConversationMachine(
            kind, members: members, last: 4, counted: 3, isDissolved: isDissolved, slowMode: .seconds(60),
            settings: ConversationSettings())
    }

    private func draft(_ text: String = "x") -> Draft {
        Draft(.text, MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8)))
    }

    @Test("M02.group is said by whoever is named, in the conversation or not, and whoever speaks there")
    func senders() throws {
        var bob = Member(Self.bob, spokeAt: Self.now)
        bob.silencedUntil = Self.now + .seconds(60)
        let group = self.machine(.group, [Member(Self.alice, role: .owner), bob])
        let inside = try group.publication(self.draft(), by: Self.bob, at: Self.now)
        #expect(inside.entry.number == 5 && inside.entry.counted == 4 && inside.entry.sender == Self.bob)
        guard case .spoke(let reader) = inside.effect else {
            Issue.record("who speaks has read")
            return
        }
        #expect(reader.read == 5 && reader.silencedUntil == bob.silencedUntil)
        #expect(try group.publication(self.draft(), by: Self.carol, at: Self.now).effect == .none)
        let system = self.machine(.system, [Member(Self.alice, role: .owner), Member(Self.bob)])
        #expect(try system.publication(self.draft(), by: Self.carol, at: Self.now).entry.sender == Self.carol)
    }

    @Test("M02.private reaches who blocks the sender, for the program says so; who asks whether it may is refused")
    func blocks() throws {
        let pair = self.machine(.direct, [Member(Self.alice), Member(Self.bob, blocksOther: true)])
        #expect(try pair.publication(self.draft(), by: Self.alice, at: Self.now).entry.number == 5)
        #expect(throws: ConversationRefusal.blocked) {
            try pair.proposal(for: .post(self.draft()), by: Self.alice, at: Self.now)
        }
    }

    @Test("M02.private ends where the conversation does, and has a length")
    func limits() throws {
        let over = self.machine(.group, [Member(Self.alice)], isDissolved: true)
        #expect(throws: ConversationRefusal.dissolved) {
            try over.publication(self.draft(), by: Self.alice, at: Self.now)
        }
        let group = self.machine(.group, [Member(Self.alice)])
        let most = ConversationSettings().maximumPublishedBytes
        #expect(throws: ConversationRefusal.tooLong) {
            try group.publication(self.draft(String(repeating: "x", count: most)), by: Self.alice, at: Self.now)
        }
        #expect(throws: ConversationRefusal.noMessage) {
            var draft = self.draft()
            draft.reply = 3
            return try group.publication(draft, by: Self.alice, at: Self.now)
        }
    }

    @Test("F06.mentions names members alone; M05.counted counts or does not")
    func mentions() throws {
        let group = self.machine(.group, [Member(Self.alice), Member(Self.bob)])
        var draft = self.draft()
        draft.mentions = [Self.bob, Self.carol]
        draft.isCounted = false
        let entry = try group.publication(draft, by: Self.alice, at: Self.now).entry
        #expect(entry.mentions == [Self.bob] && entry.number == 5 && entry.counted == 3)
    }
}
