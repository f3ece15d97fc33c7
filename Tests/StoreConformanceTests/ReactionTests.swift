import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("Reactions under messages")
struct ReactionTests {
    @Test("are told by sign, with a hundred names each", arguments: Engine.allCases)
    func tallies(engine: Engine) async throws {
        let crowd = try Crowd(engine)
        try await crowd.begin()
        let (first, second, third) = (try await crowd.say(), try await crowd.say(), try await crowd.say())
        for user in crowd.people.reversed() { _ = try await crowd.react("👍", to: second, by: user).get() }
        _ = try await crowd.react("a", to: second, by: crowd.people[3]).get()
        _ = try await crowd.react("b", to: second, by: crowd.people[3]).get()
        _ = try await crowd.react("b", to: second, by: crowd.people[3], isOn: false).get()
        _ = try await crowd.react("c", to: first, by: crowd.people[4]).get()
        let whole = [ReactionTally("a", [crowd.people[3]]), ReactionTally("👍", Array(crowd.people.prefix(100)))]
        for page in [
            try await crowd.page(.after(first - 1), limit: 3), try await crowd.page(.before(third + 1), limit: 3),
        ] {
            #expect(page.items.map(\.entry.number) == [first, second, third])
            #expect(page.items.map(\.entry.reactions) == [[ReactionTally("c", [crowd.people[4]])], whole, []])
        }
    }

    @Test("are of fifty kinds under one message, and of ten of one person", arguments: Engine.allCases)
    func limits(engine: Engine) async throws {
        let crowd = try Crowd(engine)
        try await crowd.begin()
        let number = try await crowd.say()
        for kind in 0..<50 { _ = try await crowd.react("\(kind)", to: number, by: crowd.people[kind / 10]).get() }
        for (text, user) in [("50", 5), ("49", 0)] {
            #expect(try await crowd.react(text, to: number, by: crowd.people[user]) == .failure(.tooManyReactions))
        }
        _ = try await crowd.react("49", to: number, by: crowd.people[5]).get()
        _ = try await crowd.react("0", to: number, by: crowd.people[0]).get()
        _ = try await crowd.react("0", to: number, by: crowd.people[0], isOn: false).get()
        _ = try await crowd.react("50", to: number, by: crowd.people[5]).get()
        let entry = try #require(try await crowd.page(.after(number - 1), limit: 1).items.first?.entry)
        #expect(entry.reactions.count == 50)
    }

    @Test("count toward what one answer holds", arguments: Engine.allCases)
    func bytes(engine: Engine) async throws {
        let crowd = try Crowd(engine)
        try await crowd.begin()
        let first = try await crowd.say()
        for _ in 1..<30 { _ = try await crowd.say() }
        try await crowd.store.ask(ManyReactions(conversation: crowd.id, first: first, users: crowd.people))
        let page = try await crowd.page(.after(first - 1), limit: 30)
        #expect(page.hasMore && (5..<28).contains(page.items.count), "\(page.items.count)")
    }
}

/// A group large enough for many reactions.
private struct Crowd {
    let store: TestStore
    let id: ConversationID
    let people: [UserID]

    init(_ engine: Engine) throws {
        self.store = try TestStore(engine)
        self.id = try #require(ConversationID("c"))
        self.people = try (100..<220).map { try #require(UserID("user-\($0)")) }
    }

    func begin() async throws {
        let request = CreationRequest(self.id, .group, by: .alice, with: self.people, at: WallTime(milliseconds: 0))
        _ = try await self.store.ask(request).get()
    }

    func change(_ change: ConversationChange, by user: UserID) async throws -> Result<
        UInt64, ConversationRefusal
    > {
        let request = ChangeRequest(.id(self.id), change, by: user, at: WallTime(milliseconds: 1))
        return try await self.store.ask(request).map(\.entry.number)
    }

    func say() async throws -> UInt64 {
        try await self.change(.post(Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))), by: .alice).get()
    }

    func react(
        _ text: String, to number: UInt64, by user: UserID, isOn: Bool = true
    ) async throws -> Result<UInt64, ConversationRefusal> {
        try await self.change(.react(number, try #require(Reaction(text)), isOn: isOn), by: user)
    }

    func page(_ direction: EntryRange, limit: Int) async throws -> EntryPage {
        let request = HistoryRequest(self.id, for: .alice, direction, limit: limit)
        return try await self.store.ask(request).get()
    }
}

/// Puts twenty signs of a hundred people each under messages, as if it had been said one by one.
private struct ManyReactions: StoreRequest {
    let conversation: ConversationID
    let first: UInt64
    let users: [UserID]

    static let access = StoreAccess.writes

    func perform(on tables: some Tables) throws(StoreError) {
        guard let key = try tables.conversation(self.conversation)?.key else { return }
        for reaction in (0..<20).compactMap({ Reaction("r\($0)") }) {
            for number in self.first..<self.first + 30 {
                for user in self.users.prefix(100) {
                    try tables.putReaction(reaction, of: user, under: EntryKey(key, number))
                }
            }
        }
    }
}
