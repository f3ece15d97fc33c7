import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A name under which one conversation follows another")
struct SuccessionTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let owner = UserID("owner") ?? { preconditionFailure("no user id") }()
    private static let member = UserID("member") ?? { preconditionFailure("no user id") }()

    private func id(_ text: String) throws -> ConversationID { try #require(ConversationID(text)) }

    @Test(
        "M02.groups leads to the one that stands, or to the next, however many have ended", arguments: Engine.allCases)
    func generations(engine: Engine) async throws {
        let store = try TestStore(engine)
        let base = try self.id("x:tea")
        for generation in 1...12 {
            let free = try await store.ask(FindSuccession(of: base))
            #expect(free.standing == nil)
            #expect(free.id.text == (generation == 1 ? "x:tea" : "x:tea:\(generation)"))
            _ = try await store.ask(
                CreationRequest(free.id, .group, by: Self.owner, with: [Self.member], at: Self.now)
            ).get()
            let found = try await store.ask(FindSuccession(of: base))
            #expect(found.id == free.id && found.standing?.id == free.id)
            let listed = try await store.ask(ListConversationsNamed(["x:"], of: Self.member, limit: 10))
            #expect(listed.map(\.id) == [free.id])
            _ = try await store.ask(ChangeRequest(.id(free.id), .dissolve, by: Self.owner, at: Self.now)).get()
        }
        #expect(try await store.ask(ListConversationsNamed(["x:"], of: Self.member, limit: 10)) == [])
    }

    @Test("M02.groups lists those of one user, and no more than are asked for", arguments: Engine.allCases)
    func lists(engine: Engine) async throws {
        let store = try TestStore(engine)
        for name in ["x:a", "y:b", "z:c"] {
            _ = try await store.ask(
                CreationRequest(try self.id(name), .group, by: Self.owner, with: [Self.member], at: Self.now)
            ).get()
        }
        let both = try await store.ask(ListConversationsNamed(["x:", "z:"], of: Self.member, limit: 10))
        #expect(both.map(\.id.text) == ["z:c", "x:a"])
        #expect(try await store.ask(ListConversationsNamed(["x:", "z:"], of: Self.member, limit: 1)).count == 1)
    }

    @Test("M03.uid finds an entry, its conversation and who talks there by its key", arguments: Engine.allCases)
    func entries(engine: Engine) async throws {
        let store = try TestStore(engine)
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
        let outcome = try await store.ask(
            ChangeRequest(.user(Self.member, new: try self.id("d")), .post(draft), by: Self.owner, at: Self.now)
        ).get()
        let found = try #require(try await store.ask(FindEntry(EntryKey(outcome.key, 1))))
        #expect(found.entry == outcome.entry && found.conversation.kind == .direct)
        #expect(Set(found.members) == [Self.owner, Self.member])
        #expect(try await store.ask(FindEntry(EntryKey(outcome.key, 2))) == nil)
        #expect(try await store.ask(FindEntry(EntryKey(ConversationKey(99), 1))) == nil)
    }
}
