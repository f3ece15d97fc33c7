import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store that is asked to bring people together")
struct ApproachTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"hello"}"#.utf8)))

    private static func store(_ engine: Engine, maximumConversations: Int = 10_000) throws -> TestStore {
        var settings = StoreSettings()
        settings.conversations.maximumConversations = maximumConversations
        return try TestStore(engine, settings)
    }

    private static func user(_ name: String) throws -> UserID { try #require(UserID(name)) }

    private static func newID() -> ConversationID {
        var random = SystemRandomNumberGenerator()
        return ConversationID(RandomToken(using: &random))
    }

    private static func meet(_ users: [UserID], _ store: TestStore) async throws {
        for user in users { _ = try await store.ask(Introduction(user, displayName: nil, avatar: nil, at: Self.now)) }
    }

    private static func say(
        _ sender: UserID, to other: UserID, _ store: TestStore, _ approach: Approach? = Approach()
    ) async throws -> Verdict<ChangeOutcome> {
        var request = ChangeRequest(.user(other, new: Self.newID()), .post(Self.draft), by: sender, at: Self.now)
        request.approach = approach
        return try await store.ask(request)
    }

    private static func group(
        _ creator: UserID, with others: [UserID], _ store: TestStore, _ approach: Approach? = Approach()
    ) async throws -> Verdict<ChangeOutcome> {
        var request = CreationRequest(Self.newID(), .group, by: creator, with: others, at: Self.now)
        request.approach = approach
        return try await store.ask(request)
    }

    @Test("H3 begins no conversation with somebody nobody knows, unless the server does", arguments: Engine.allCases)
    func unknownUsers(engine: Engine) async throws {
        let store = try Self.store(engine)
        #expect(try await Self.say(.alice, to: .bob, store) == .failure(.unknownUser))
        #expect(try await Self.say(.alice, to: .bob, store, nil).get().entry.number == 1)
        let carol = try Self.user("carol")
        try await Self.meet([carol], store)
        #expect(try await Self.say(.alice, to: carol, store).get().entry.number == 1)
        // Whoever was brought into a conversation by the server is known as well.
        #expect(try await Self.say(carol, to: .bob, store).get().entry.number == 1)
    }

    @Test("brings nobody into a group who was never here", arguments: Engine.allCases)
    func unknownMembers(engine: Engine) async throws {
        let store = try Self.store(engine)
        let carol = try Self.user("carol")
        try await Self.meet([carol], store)
        #expect(try await Self.group(.alice, with: [carol, .bob], store) == .failure(.unknownUser))
        let group = try await Self.group(.alice, with: [carol], store).get().conversation
        var invitation = ChangeRequest(.id(group), .invite([.bob]), by: .alice, at: Self.now)
        #expect(try await store.ask(invitation).get().came == [.bob], "the server may")
        invitation = ChangeRequest(.id(group), .invite([try Self.user("dora")]), by: .alice, at: Self.now)
        invitation.approach = Approach()
        #expect(try await store.ask(invitation) == .failure(.unknownUser))
    }

    @Test("H3 begins nothing too soon, and goes on with what was begun", arguments: Engine.allCases)
    func soon(engine: Engine) async throws {
        let store = try Self.store(engine)
        try await Self.meet([.bob], store)
        let late = Approach(mayBegin: false)
        #expect(try await Self.say(.alice, to: .bob, store, late) == .failure(.tooSoon))
        #expect(try await Self.group(.alice, with: [.bob], store, late) == .failure(.tooSoon))
        _ = try await Self.say(.alice, to: .bob, store).get()
        #expect(try await Self.say(.alice, to: .bob, store, late).get().entry.number == 2)
    }

    @Test("H3 have an end: conversations one user is in", arguments: Engine.allCases)
    func maximum(engine: Engine) async throws {
        let store = try Self.store(engine, maximumConversations: 3)
        let others = try (0..<4).map { try Self.user("other-\($0)") }
        try await Self.meet(others + [.bob], store)
        for other in others.prefix(2) { _ = try await Self.say(.alice, to: other, store).get() }
        _ = try await Self.group(.alice, with: [], store).get()
        #expect(try await Self.say(.alice, to: others[2], store) == .failure(.tooManyConversations))
        #expect(try await Self.group(.alice, with: [], store) == .failure(.tooManyConversations))
        _ = try await Self.say(.alice, to: others[0], store).get()
        // Others may still write to them, and put them into no more groups.
        _ = try await Self.say(.bob, to: .alice, store).get()
        #expect(try await Self.group(.bob, with: [.alice], store) == .failure(.blocked))
        let made = try await Self.group(.bob, with: [.alice, others[0]], store).get()
        #expect(Set(made.came) == [.bob, others[0]])
        let id = Self.newID()
        _ = try await store.ask(CreationRequest(id, .room, by: .bob, at: Self.now)).get()
        var join = ChangeRequest(.id(id), .join, by: .alice, at: Self.now)
        join.approach = Approach()
        #expect(try await store.ask(join) == .failure(.tooManyConversations))
    }

    @Test("H3 puts nobody into too many groups of people they never wrote to", arguments: Engine.allCases)
    func crowded(engine: Engine) async throws {
        let store = try Self.store(engine)
        let carol = try Self.user("carol")
        try await Self.meet([.alice, .bob, carol], store)
        _ = try await Self.say(.alice, to: .bob, store).get()
        let crowd = Approach(crowded: [.bob])
        #expect(try await Self.group(.alice, with: [.bob], store, crowd) == .failure(.blocked))
        let made = try await Self.group(.alice, with: [.bob, carol], store, crowd).get()
        #expect(Set(made.came) == [.alice, carol] && made.strangers == [carol])
        var invitation = ChangeRequest(.id(made.conversation), .invite([.bob]), by: .alice, at: Self.now)
        invitation.approach = crowd
        #expect(try await store.ask(invitation) == .failure(.blocked))
        _ = try await Self.say(.bob, to: .alice, store).get()
        let outcome = try await store.ask(invitation).get()
        #expect(outcome.came == [.bob] && outcome.strangers.isEmpty)
    }
}
