import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("What doors keep beside conversations")
struct DoorRecordTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    private static let bob = UserID("bob") ?? { preconditionFailure("no user id") }()

    private static func record(_ book: String, _ name: String, _ value: String = "", of user: UserID? = nil)
        -> DoorRecord
    {
        DoorRecord(.init(book, name), value, of: user, at: Self.now)
    }

    @Test(
        "M06.lists a record is found by its place, listed in the order of names and written over",
        arguments: Engine.allCases)
    func finds(engine: Engine) async throws {
        let store = try TestStore(engine)
        let (b, a, other) = (Self.record("x", "b", "2"), Self.record("x", "a", "1"), Self.record("y", "a", "3"))
        #expect(try await store.ask(WriteDoorRecords([b, a, other])))
        #expect(try await store.ask(ListDoorRecords(in: ["x"], limit: 10)) == [a, b])
        #expect(try await store.ask(ListDoorRecords(in: ["x"], after: "a", limit: 10)) == [b])
        #expect(try await store.ask(ListDoorRecords(in: ["y", "x"], limit: 1)) == [other, a])
        let again = Self.record("x", "a", "9")
        #expect(try await store.ask(WriteDoorRecords([again], removing: [b.place])))
        let found = try await store.ask(FindDoorRecords([b.place, other.place, again.place]))
        #expect(found == [other, again])
    }

    @Test("M06.lists a book has no more than it may, and what does not fit changes nothing", arguments: Engine.allCases)
    func bounded(engine: Engine) async throws {
        let store = try TestStore(engine)
        #expect(try await store.ask(WriteDoorRecords([Self.record("x", "a"), Self.record("x", "b")], maximum: 2)))
        #expect(
            try await !store.ask(WriteDoorRecords([Self.record("x", "a", "new"), Self.record("x", "c")], maximum: 2)))
        #expect(try await store.ask(ListDoorRecords(in: ["x"], limit: 9)).map(\.value) == ["", ""])
        #expect(try await store.ask(WriteDoorRecords([Self.record("x", "a", "new")], maximum: 2)))
        #expect(try await store.ask(ListDoorRecords(in: ["x"], limit: 9)).map(\.value) == ["new", ""])
    }

    @Test("A16.others what is a user's goes with the account", arguments: Engine.allCases)
    func deleted(engine: Engine) async throws {
        let store = try TestStore(engine)
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
        let id = try #require(ConversationID("d"))
        _ = try await store.ask(
            ChangeRequest(.user(Self.bob, new: id), .post(draft), by: Self.alice, at: Self.now)
        ).get()
        let (own, others) = (Self.record("x", "alice", of: Self.alice), Self.record("x", "bob", of: Self.bob))
        #expect(try await store.ask(WriteDoorRecords([own, others])))
        _ = try await store.ask(DeleteUser(Self.alice, nameHash: nil, at: Self.now))
        while try await !store.ask(EraseUser(Self.alice, at: Self.now)).isDone {}
        #expect(try await store.ask(ListDoorRecords(in: ["x"], limit: 9)) == [others])
    }

    @Test(
        "M05.counted what was not counted and is taken back leaves the number of unread ones as it is",
        arguments: Engine.allCases)
    func recalled(engine: Engine) async throws {
        let store = try TestStore(engine)
        let id = try #require(ConversationID("d"))
        for isCounted in [true, false, true, false] {
            var draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
            draft.isCounted = isCounted
            var change = ChangeRequest(.user(Self.bob, new: id), .post(draft), by: Self.alice, at: Self.now)
            change.isPublished = true
            _ = try await store.ask(change).get()
        }
        for (number, left) in [(UInt64(2), UInt64(2)), (3, 1), (4, 1), (1, 0)] {
            _ = try await store.ask(ChangeRequest(.id(id), .recall(number), by: Self.alice, at: Self.now)).get()
            #expect(try await store.ask(ViewConversation(id, for: Self.bob)).get().unread == left)
        }
    }
}
