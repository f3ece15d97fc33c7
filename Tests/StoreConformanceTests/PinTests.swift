import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("Pinned messages in a store")
struct PinTests {
    private static let day: Int64 = 86_400_000

    private func change(
        _ store: TestStore, _ change: ConversationChange, onDay day: Int64, by user: UserID = .alice
    ) async throws -> Verdict<ChangeOutcome> {
        let id = try #require(ConversationID("c"))
        let other: UserID = user == .alice ? .bob : .alice
        return try await store.ask(
            ChangeRequest(
                .user(other, new: id), change, by: user, at: WallTime(milliseconds: day * Self.day)))
    }

    private func pins(_ store: TestStore, limit: Int = 200) async throws -> [UInt64] {
        let id = try #require(ConversationID("c"))
        let page = try await store.ask(HistoryRequest(id, for: .bob, .pinned, limit: limit)).get()
        return page.items.map(\.entry.number)
    }

    private func say(_ store: TestStore, onDay day: Int64) async throws {
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
        _ = try await self.change(store, .post(draft), onDay: day).get()
    }

    @Test(
        "D24 Pins are listed with the latest pin first, and go with a message that is taken back",
        arguments: Engine.allCases)
    func listed(engine: Engine) async throws {
        let store = try TestStore(engine)
        for _ in 1...3 { try await self.say(store, onDay: 1) }
        for number: UInt64 in [2, 3, 1] { _ = try await self.change(store, .pin(number, isOn: true), onDay: 1).get() }
        #expect(try await self.pins(store) == [1, 3, 2])
        #expect(try await self.pins(store, limit: 1) == [1])
        #expect(try await self.change(store, .pin(3, isOn: true), onDay: 1) == .failure(.taken))
        _ = try await self.change(store, .pin(1, isOn: false), onDay: 1, by: .bob).get()
        #expect(try await self.change(store, .pin(1, isOn: false), onDay: 1) == .failure(.taken))
        _ = try await self.change(store, .recall(3), onDay: 1).get()
        #expect(try await self.pins(store) == [2])
        #expect(try await self.change(store, .pin(3, isOn: true), onDay: 1) == .failure(.recalled))
        #expect(try await self.change(store, .pin(4, isOn: true), onDay: 1) == .failure(.noMessage))
    }

    @Test("D24 Pins go with messages that are too old", arguments: Engine.allCases)
    func swept(engine: Engine) async throws {
        let store = try TestStore(engine)
        for day: Int64 in 1...4 { try await self.say(store, onDay: day) }
        for number: UInt64 in [1, 4] { _ = try await self.change(store, .pin(number, isOn: true), onDay: 5).get() }
        let sweep = EntrySweep(at: WallTime(milliseconds: 6 * Self.day), usual: .seconds(3 * 86_400))
        #expect(try await store.ask(sweep).count == 2)
        #expect(try await self.pins(store) == [4])
    }
}
