import Conversing
import TestSupport
import Testing
import Vocabulary

@testable import Store

@Suite("Reactions under messages")
struct ReactionTests {
    private let store: SQLiteStore
    private let id: ConversationID
    private let people: [UserID]

    init() throws {
        self.store = try SQLiteStore(path: Connection.memory)
        self.id = try #require(ConversationID("c"))
        self.people = try (100..<220).map { try #require(UserID("user-\($0)")) }
    }

    private func begin() async throws {
        let request = CreationRequest(self.id, .group, by: .alice, with: self.people, at: WallTime(milliseconds: 0))
        _ = try await ask { self.store.create(request, $0) }.get()
    }

    private func change(_ change: ConversationChange, by user: UserID) async throws -> Result<
        UInt64, ConversationRefusal
    > {
        let request = ChangeRequest(.id(self.id), change, by: user, at: WallTime(milliseconds: 1))
        return try await ask { self.store.change(request, $0) }.map(\.entry.number)
    }

    private func say() async throws -> UInt64 {
        try await self.change(.post(Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))), by: .alice).get()
    }

    private func react(
        _ text: String, to number: UInt64, by user: UserID, isOn: Bool = true
    ) async throws -> Result<UInt64, ConversationRefusal> {
        try await self.change(.react(number, try #require(Reaction(text)), isOn: isOn), by: user)
    }

    private func page(_ direction: HistoryRequest.Direction, limit: Int) async throws -> EntryPage {
        let request = HistoryRequest(self.id, for: .alice, direction, limit: limit)
        return try await ask { self.store.history(request, $0) }.get()
    }

    @Test("are told by sign, with a hundred names each")
    func tallies() async throws {
        try await self.begin()
        let (first, second, third) = (try await self.say(), try await self.say(), try await self.say())
        for user in self.people.reversed() { _ = try await self.react("👍", to: second, by: user).get() }
        _ = try await self.react("a", to: second, by: self.people[3]).get()
        _ = try await self.react("b", to: second, by: self.people[3]).get()
        _ = try await self.react("b", to: second, by: self.people[3], isOn: false).get()
        _ = try await self.react("c", to: first, by: self.people[4]).get()
        let whole = [ReactionTally("a", [self.people[3]]), ReactionTally("👍", Array(self.people.prefix(100)))]
        for page in [
            try await self.page(.after(first - 1), limit: 3), try await self.page(.before(third + 1), limit: 3),
        ] {
            #expect(page.items.map(\.entry.number) == [first, second, third])
            #expect(page.items.map(\.entry.reactions) == [[ReactionTally("c", [self.people[4]])], whole, []])
        }
    }

    @Test("are of fifty kinds under one message, and of ten of one person")
    func limits() async throws {
        try await self.begin()
        let number = try await self.say()
        for kind in 0..<50 { _ = try await self.react("\(kind)", to: number, by: self.people[kind / 10]).get() }
        for (text, user) in [("50", 5), ("49", 0)] {
            #expect(try await self.react(text, to: number, by: self.people[user]) == .failure(.tooManyReactions))
        }
        _ = try await self.react("49", to: number, by: self.people[5]).get()
        _ = try await self.react("0", to: number, by: self.people[0]).get()
        _ = try await self.react("0", to: number, by: self.people[0], isOn: false).get()
        _ = try await self.react("50", to: number, by: self.people[5]).get()
        let entry = try #require(try await self.page(.after(number - 1), limit: 1).items.first?.entry)
        #expect(entry.reactions.count == 50)
    }

    @Test("count toward what one answer holds")
    func bytes() async throws {
        try await self.begin()
        let first = try await self.say()
        for _ in 1..<60 { _ = try await self.say() }
        let database = self.store.database
        _ = try await ask { database.send(ManyReactions(), $0) }
        let page = try await self.page(.after(first - 1), limit: 60)
        #expect(page.hasMore && (5..<55).contains(page.items.count), "\(page.items.count)")
    }

    @Test("are found by steps, however many people put them there")
    func plans() throws {
        let connection = try Connection(path: Connection.memory)
        try connection.migrate(Migration.all)
        for sql in [
            ReactionQueries.tallySQL, ReactionQueries.othersSQL, ReactionQueries.firstSQL, ReactionQueries.lastSQL,
        ] {
            let plan = try connection.all("EXPLAIN QUERY PLAN \(sql)") { row in row.text(3) ?? "" }
            let reads = plan.filter { $0.contains("reactions") || $0.contains(" r ") }
            #expect(!reads.isEmpty && reads.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        }
    }
}

/// Puts twenty signs of a hundred people each under messages, as if it had been said one by one.
private struct ManyReactions: StoreRequest {
    static let writes = true

    func perform(on connection: borrowing Connection) throws(StoreError) {
        let sql = """
            INSERT INTO reactions (message, reaction, user)
            SELECT e.id, 'r' || kinds.value, m.user FROM entries e, members m,
                (WITH RECURSIVE kinds (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM kinds WHERE value < 20)
                    SELECT value FROM kinds) kinds
            WHERE e.sort = 0
            """
        try connection.run(sql)
    }
}
