import Keeping
import MemoryStore
import Testing
import Vocabulary

@Suite("A store of what operators did")
struct AuditTests {
    private static let now = WallTime(seconds: 1_700_000_000)
    private static let actor = AuditRecord.Actor(name: "operator", address: "127.0.0.1:9", token: "sha256:00")

    private static func act(_ target: String, _ store: TestStore, at now: WallTime = now) async throws -> Int64 {
        try await store.ask(BeginAudit(by: Self.actor, "user.ban", on: target, "seconds=1", at: now))
    }

    @Test("A18.actions keeps what was begun, and how it went", arguments: Engine.allCases)
    func outcomes(engine: Engine) async throws {
        let store = try TestStore(engine)
        let (first, second) = (try await Self.act("a", store), try await Self.act("b", store))
        try await store.ask(EndAudit(first, .done))
        let records = try await store.ask(ListAudit(after: nil, limit: 9))
        #expect(records.map(\.number) == [first, second] && records.map(\.outcome) == [.done, .begun])
        #expect(records.first?.actor == Self.actor && records.first?.detail == "seconds=1")
    }

    @Test("A18.read tells the latest, or what comes after a number", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let store = try TestStore(engine)
        for number in 0..<5 { _ = try await Self.act("user-\(number)", store) }
        let latest = try await store.ask(ListAudit(after: nil, limit: 2))
        #expect(latest.map(\.target) == ["user-3", "user-4"])
        let later = try await store.ask(ListAudit(after: 2, limit: 2))
        #expect(later.map(\.target) == ["user-2", "user-3"])
    }

    @Test("A18.retention forgets what is old, and gives no number twice", arguments: Engine.allCases)
    func retention(engine: Engine) async throws {
        let store = try TestStore(engine)
        for number in 0..<3 { _ = try await Self.act("user-\(number)", store, at: Self.now + .seconds(Int64(number))) }
        #expect(try await store.ask(ForgetAudit(before: Self.now + .seconds(1))) == 1)
        #expect(try await store.ask(ForgetAudit(before: Self.now + .seconds(9))) == 1)
        #expect(try await store.ask(ForgetAudit(before: Self.now + .seconds(9))) == 0)
        #expect(try await Self.act("next", store) == 4)
    }
}
