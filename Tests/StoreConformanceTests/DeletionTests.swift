import Conversing
import FileTypes
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store from which a user is deleted")
struct DeletionTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let hash = [UInt8](repeating: 7, count: 32)

    private static func draft(_ kind: MessageKind, _ json: String) -> ConversationChange {
        .post(Draft(kind, MessageBody(proven: Array(json.utf8))))
    }

    private static func say(_ sender: UserID, to other: UserID, _ store: TestStore) async throws -> ChangeOutcome {
        let change = Self.draft(.text, #"{"text":"hello"}"#)
        return try await store.ask(ChangeRequest(.user(other, new: Self.newID()), change, by: sender, at: Self.now))
            .get()
    }

    private static func group(_ creator: UserID, with others: [UserID], _ store: TestStore) async throws
        -> ConversationID
    {
        try await store.ask(CreationRequest(Self.newID(), .group, by: creator, with: others, at: Self.now))
            .get().conversation
    }

    private static func newID() -> ConversationID {
        var random = SystemRandomNumberGenerator()
        return ConversationID(RandomToken(using: &random))
    }

    /// In as many portions as it takes; answers what the others heard.
    private static func erase(_ user: UserID, _ store: TestStore) async throws -> [ChangeOutcome] {
        var (request, outcomes) = (EraseUser(user, at: Self.now), [ChangeOutcome]())
        for _ in 0..<1000 {
            let portion = try await store.ask(request)
            outcomes += portion.outcomes
            guard !portion.isDone else { return outcomes }
            request.end = portion.end
        }
        Issue.record("it never ends")
        return outcomes
    }

    private static func register(_ user: UserID, _ name: String, _ store: TestStore) async throws {
        let account = StoredUser(
            id: user, name: try UserName(name), passwordHash: "hash", displayName: DisplayName("Alice A."),
            created: Self.now)
        let token = LongLivedToken(version: 1, hash: [1, 2, 3], expiry: Self.now + .seconds(60))
        #expect(try await store.ask(AddUser(account, token, nameHash: Self.hash)) == .added)
    }

    @Test("A16.id keeps the id and the name taken, and nothing else", arguments: Engine.allCases)
    func tombstone(engine: Engine) async throws {
        let store = try TestStore(engine)
        #expect(try await store.ask(DeleteUser(.alice, nameHash: nil, at: Self.now)) == nil)
        try await Self.register(.alice, "alice_1", store)
        var random = SeededRandom(seed: 1)
        let family = RefreshFamily(
            id: RandomToken(using: &random), user: .alice, current: [1], expiry: Self.now + .seconds(9))
        try await store.ask(BeginRefreshFamily(family, at: Self.now))
        let changed = try #require(try await store.ask(DeleteUser(.alice, nameHash: Self.hash, at: Self.now)))
        #expect(changed.isNews && changed.profile.isDeleted && changed.profile.shownName == .deletedUser)
        #expect(try await store.ask(DeleteUser(.alice, nameHash: nil, at: Self.now))?.isNews == false)
        #expect(try await store.ask(FindProfiles(of: [.alice])) == [changed.profile])
        #expect(try await store.ask(FindUser.id(.alice)) == nil)
        #expect(try await store.ask(FindUser.name(try UserName("alice_1"))) == nil)
        #expect(try await store.ask(FindUser.tokenHash([1, 2, 3], at: Self.now)) == nil)
        #expect(try await store.ask(ListUsers(after: "", limit: 9)).isEmpty)
        #expect(try await store.ask(ListRefreshFamilies(of: .alice, at: Self.now)).isEmpty)
        #expect(try await store.ask(AddUser(StoredUser(id: .alice, created: Self.now))) == .idTaken)
        let namesake = StoredUser(id: .bob, name: try UserName("alice_1"), created: Self.now)
        #expect(try await store.ask(AddUser(namesake, nameHash: Self.hash)) == .nameTaken)
        // Neither an application nor a request that was on its way says anything of them.
        let words = Introduction(.alice, displayName: DisplayName("Back"), avatar: nil, at: Self.now + .seconds(9))
        _ = try await store.ask(words)
        var change = ProfileChange(of: .alice, at: Self.now + .seconds(9))
        change.name = .set(try #require(DisplayName("Back")))
        #expect(try await store.ask(change).get().isNews == false)
        #expect(try await !store.ask(SetCredential(.passwordHash("other"), of: .alice)))
        #expect(try await store.ask(FindProfiles(of: [.alice])) == [changed.profile])
        #expect(try await store.ask(ListDeletedUsers.all) == [.alice])
        _ = try await Self.erase(.alice, store)
        #expect(try await store.ask(ListDeletedUsers.erasing).isEmpty)
        #expect(try await store.ask(ListDeletedUsers.all) == [.alice])
    }

    @Test("A16.others leaves what was said to those who can read it", arguments: Engine.allCases)
    func others(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await Self.register(.alice, "alice_1", store)
        let direct = try await Self.say(.alice, to: .bob, store)
        let alone = try await Self.say(.alice, to: .alice, store)
        var groups: [ConversationID] = []
        for _ in 0..<25 { groups.append(try await Self.group(.alice, with: [.bob], store)) }
        let empty = try await Self.group(.alice, with: [], store)
        _ = try await store.ask(SetBlocked(true, .bob, by: .alice))
        _ = try await store.ask(DeleteUser(.alice, nameHash: nil, at: Self.now))
        #expect(try await store.ask(ListDeletedUsers.erasing) == [.alice])
        let outcomes = try await Self.erase(.alice, store)
        #expect(Set(outcomes.filter { $0.went == .alice }.map(\.conversation)) == Set(groups))
        let ended = outcomes.filter { $0.entry.sort == .dissolved }.map(\.conversation)
        #expect(Set(ended) == [direct.conversation, alone.conversation, empty])
        let view = try await store.ask(ViewConversation(direct.conversation, for: .bob)).get()
        #expect(view.isDissolved && view.peer?.isDeleted == true && view.peer?.name == .deletedUser)
        let history = HistoryRequest(direct.conversation, for: .bob, .before(nil), limit: 9)
        #expect(try await store.ask(history).get().items.map(\.entry.sort) == [.message, .dissolved])
        for id in groups {
            let members = try await store.ask(MemberRequest(id, for: .bob, limit: 9)).get()
            #expect(members.map(\.user) == [.bob] && members.map(\.role) == [.owner])
        }
        for id in [alone.conversation, empty] {
            let entries = try await store.ask(HistoryRequest(id, for: .alice, .before(nil), limit: 9)).get()
            #expect(entries.items.isEmpty)
        }
        #expect(try await store.ask(ListBlocked(by: .alice)).isEmpty)
        #expect(
            try await store.ask(
                ChangeRequest(.user(.alice, new: Self.newID()), Self.draft(.text, "{}"), by: .bob, at: Self.now))
                == .failure(.dissolved))
        // When the other one goes, nobody can read it any more.
        _ = try await store.ask(DeleteUser(.bob, nameHash: nil, at: Self.now))
        _ = try await Self.erase(.bob, store)
        #expect(try await store.ask(history).get().items.isEmpty)
    }

    @Test("A16.others brings nobody together with them", arguments: Engine.allCases)
    func strangers(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await Self.register(.alice, "alice_1", store)
        _ = try await store.ask(DeleteUser(.alice, nameHash: nil, at: Self.now))
        var request = ChangeRequest(
            .user(.alice, new: Self.newID()), Self.draft(.text, "{}"), by: .bob, at: Self.now)
        request.approach = Approach()
        #expect(try await store.ask(request) == .failure(.unknownUser))
        let group = CreationRequest(Self.newID(), .group, by: .bob, with: [.alice], at: Self.now)
        #expect(try await store.ask(group) == .failure(.blocked))
    }

    @Test("A16.files gives up the files that nobody else can see", arguments: Engine.allCases)
    func files(engine: Engine) async throws {
        let store = try TestStore(engine)
        try await Self.register(.alice, "alice_1", store)
        var random = SeededRandom(seed: 9)
        var files: [FileID] = []
        for number in 0..<4 {
            let hash = try #require(ContentHash([UInt8](repeating: UInt8(number), count: 32)))
            var file = FileRecord(
                .drawn(using: &random), of: .alice, hash, size: 1, type: .png, label: nil, created: Self.now)
            file.picture = PictureSize(width: 1, height: 1)
            try await store.ask(AddFile(file))
            files.append(file.id)
        }
        let (shown, own, face) = (files[0], files[1], files[2])
        for (file, other) in [(shown, UserID.bob), (own, .alice)] {
            let change = Self.draft(.file, #"{"file":"\#(file.text)"}"#)
            _ = try await store.ask(
                ChangeRequest(.user(other, new: Self.newID()), change, by: .alice, at: Self.now)
            ).get()
        }
        var change = ProfileChange(of: .alice, at: Self.now)
        change.picture = .set(ProfileChange.Picture(face, at: try #require(AvatarLink("/v1/avatars/x"))))
        _ = try await store.ask(change).get()
        _ = try await store.ask(DeleteUser(.alice, nameHash: nil, at: Self.now))
        #expect(try await store.ask(FindFile(face, for: .onlooker)) == nil)
        _ = try await Self.erase(.alice, store)
        #expect(try await store.ask(FindFile(shown, for: .user(.bob)))?.id == shown)
        let swept = try await store.ask(SweepFiles(at: Self.now, unusedSince: Self.now, limit: 9))
        #expect(swept.contents.count == 3)
        #expect(try await store.ask(FindFile(shown, for: .user(.bob)))?.id == shown)
    }
}
