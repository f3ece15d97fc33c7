import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("What nodes read of each other")
struct NodeStoreTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private static func hello(_ text: String = "hello") -> ConversationChange {
        .post(Draft(.text, MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8))))
    }

    private func change(
        _ store: TestStore, _ address: ConversationAddress, _ change: ConversationChange, by actor: UserID
    ) async throws -> ChangeOutcome {
        try await store.ask(ChangeRequest(address, change, by: actor, at: Self.now)).get()
    }

    @Test(
        "Y01 new entries say the same of themselves, and of who came and went, as they said to who wrote them",
        arguments: Engine.allCases)
    func outcomes(engine: Engine) async throws {
        let (store, carol) = (try TestStore(engine), try #require(UserID("carol")))
        let (group, direct) = (try #require(ConversationID("group")), try #require(ConversationID("direct")))
        var told = [
            try await store.ask(CreationRequest(group, .group, by: .alice, with: [.bob], at: Self.now)).get(),
            try await self.change(store, .id(group), Self.hello(), by: .bob),
            try await self.change(store, .id(group), .invite([carol]), by: .alice),
            try await self.change(store, .id(group), .react(2, try #require(Reaction("👍")), isOn: true), by: carol),
            try await self.change(store, .id(group), .edit(2, MessageBody(proven: Array("{}".utf8))), by: .bob),
            try await self.change(store, .id(group), .remove(carol), by: .alice),
            try await self.change(store, .id(group), .leave, by: .bob),
        ]
        let read = try await store.ask(NewEntries(of: group, after: 0, through: 7))
        #expect(read.end == 7)
        #expect(
            read.outcomes.map(\.entry.number) == Array(1...7)
                && read.outcomes.map(\.entry.sort) == told.map(\.entry.sort))
        #expect(read.outcomes.map(\.went) == told.map(\.went))
        // Who has gone since is not brought back.
        for place in told.indices { told[place].came.removeAll { $0 != .alice } }
        #expect(read.outcomes.map(\.came) == told.map(\.came))
        let first = try await self.change(store, .user(.bob, new: direct), Self.hello(), by: .alice)
        let there = try await store.ask(NewEntries(of: direct, after: 0, through: 1)).outcomes
        #expect(Set(there.first?.came ?? []) == Set(first.came) && Set(first.came) == [.alice, .bob])
    }

    @Test("Y02 new entries come in portions that say how far they are whole", arguments: Engine.allCases)
    func portions(engine: Engine) async throws {
        let store = try TestStore(engine)
        let place = try #require(ConversationID("direct"))
        for number in 1...450 {
            _ = try await self.change(store, .user(.bob, new: place), Self.hello("\(number)"), by: .alice)
        }
        var (read, end) = ([UInt64](), UInt64(7))
        while end < 445 {
            let page = try await store.ask(NewEntries(of: place, after: end, through: 445))
            read += page.outcomes.map(\.entry.number)
            #expect(page.end > end)
            end = page.end
        }
        #expect(read == Array(8...445))
        let beyond = try await store.ask(NewEntries(of: place, after: 450, through: 460))
        #expect(beyond.outcomes.isEmpty && beyond.end == 460)
        let nowhere = try await store.ask(NewEntries(of: try #require(ConversationID("none")), after: 0, through: 3))
        #expect(nowhere.outcomes.isEmpty && nowhere.end == 3)
    }

    @Test(
        "Y02 the last numbers of many conversations are read at once, of those that are there",
        arguments: Engine.allCases)
    func heads(engine: Engine) async throws {
        let store = try TestStore(engine)
        let ids = try (0..<230).map { try #require(ConversationID("room-\($0)")) }
        for (number, id) in ids.enumerated() where number % 3 > 0 {
            _ = try await store.ask(CreationRequest(id, .room, by: .alice, with: [], at: Self.now)).get()
            if number % 3 == 2 { _ = try await self.change(store, .id(id), Self.hello(), by: .alice) }
        }
        let heads = try await store.ask(LatestNumbers(of: ids))
        let expected = ids.indices.filter { $0 % 3 > 0 }.map { ConversationHead(ids[$0], UInt64($0 % 3)) }
        #expect(Set(heads) == Set(expected) && heads.count == expected.count)
        let own = try await store.ask(MembershipHeads(of: .alice))
        #expect(Set(own.map(\.head)) == Set(expected))
    }

    @Test("Y01 each node goes on with its own calls, and with those that are nobody's", arguments: Engine.allCases)
    func calls(engine: Engine) async throws {
        let store = try TestStore(engine)
        var random = SeededRandom(seed: 2)
        for node in ["a", "b", nil] {
            var call = CallUnderWay(
                id: CallID(using: &random), caller: .alice, on: SessionID(using: &random), callee: .bob,
                on: SessionID(using: &random), kind: "audio", started: Self.now, answered: Self.now)
            call.node = node
            try await store.ask(KeepCall(call))
        }
        #expect(Set(try await store.ask(ListCallsUnderWay(of: "a")).map(\.node)) == ["a", nil])
        #expect(try await store.ask(ListCallsUnderWay()).map(\.node) == [nil])
    }
}
