import Conversing
import Keeping
import MemoryStore
import TestSupport
import Vocabulary

/// What the tests say to a store.
struct Talk {
    static let now = WallTime(seconds: 1_700_000_000)
    let store: TestStore

    init(_ engine: Engine) throws { self.store = try TestStore(engine) }

    static func body(_ text: String) -> MessageBody { MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8)) }

    func newID() throws -> ConversationID {
        var random = SystemRandomNumberGenerator()
        return ConversationID(RandomToken(using: &random))
    }

    @discardableResult
    func change(_ request: ChangeRequest) async throws -> ChangeOutcome {
        try await self.store.ask(request).get()
    }

    @discardableResult
    func change(_ id: ConversationID, _ change: ConversationChange, _ actor: UserID) async throws -> ChangeOutcome {
        try await self.change(ChangeRequest(.id(id), change, by: actor, at: Self.now))
    }

    func post(
        _ draft: Draft, _ sender: UserID, to other: UserID, as client: String? = nil, at time: WallTime = now
    ) async throws -> ChangeOutcome {
        try await self.change(
            ChangeRequest(
                .user(other, new: try self.newID()), .post(draft), by: sender, as: client.flatMap { MessageID($0) },
                at: time))
    }

    @discardableResult
    func say(
        _ text: String, _ sender: UserID, to other: UserID, as client: String? = nil, at time: WallTime = now
    ) async throws -> ChangeOutcome {
        try await self.post(Draft(.text, Self.body(text)), sender, to: other, as: client, at: time)
    }

    func views(_ user: UserID) async throws -> [ConversationView] {
        try await self.store.ask(ListConversations(of: user, before: nil, limit: 100)).views
    }

    func history(_ id: ConversationID, _ user: UserID) async throws -> [Entry] {
        let request = HistoryRequest(id, for: user, .before(nil), limit: 100)
        return try await self.store.ask(request).get().items.map(\.entry)
    }

    func find(_ text: String, _ user: UserID) async throws -> [UInt64] {
        let request = SearchRequest(text, for: user, limit: 10)
        return try await self.store.found(request).get().items.map(\.entry.number)
    }
}

extension UserID {
    static let carol = UserID("carol") ?? { preconditionFailure("no user id") }()
}
