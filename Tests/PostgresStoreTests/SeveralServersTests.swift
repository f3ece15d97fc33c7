import Conversing
import Keeping
import MemoryStore
import PostgresLink
import PostgresStore
import TestSupport
import Testing
import Vocabulary

/// Several servers with one database, each of which remembers conversations.
@Suite("Several stores over one PostgreSQL")
struct SeveralServersTests {
    private let stores: [PostgresStore]

    init() throws {
        let address = try PostgresAddress(PostgresServer.shared().freshDatabase())
        self.stores = try (0..<3).map { _ in try PostgresStore(address) }
    }

    @Test("X10 give numbers without a gap, whoever writes to whom at the same time")
    func numbers() async throws {
        let place = try await self.group(of: 6)
        let sent = 40
        try await withThrowingTaskGroup(of: [UInt64].self) { tasks in
            for index in 0..<6 {
                tasks.addTask {
                    var numbers: [UInt64] = []
                    for message in 0..<sent {
                        let store = self.stores[(index + message) % self.stores.count]
                        let outcome = try await self.say("\(message)", Self.user(index), place, store).get()
                        numbers.append(outcome.entry.number)
                    }
                    return numbers
                }
            }
            var numbers: [UInt64] = []
            for try await more in tasks { numbers += more }
            #expect(numbers.sorted() == (2...UInt64(6 * sent + 1)).map { $0 })
        }
        for store in self.stores { #expect(try await self.history(place, store) == Array(1...UInt64(6 * sent + 1))) }
    }

    @Test("X10.seen let nobody write who was sent away through another one")
    func removal() async throws {
        let place = try await self.group(of: 3)
        for store in self.stores { _ = try await self.say("here", Self.user(1), place, store).get() }
        let removal = ChangeRequest(
            .id(place), .remove(Self.user(1), until: nil, reason: nil), by: Self.user(0), at: Self.now)
        _ = try await self.stores[0].ask(removal).get()
        for store in self.stores {
            guard case .failure = try await self.say("still here", Self.user(1), place, store) else {
                Issue.record("somebody who was sent away was heard")
                continue
            }
        }
        let after = try await self.say("quiet", Self.user(0), place, self.stores[2]).get()
        #expect(after.entry.number == 6)
    }

    @Test("X10.names give a name to one of two who want it at the same moment")
    func names() async throws {
        let name = try UserName("wanted")
        let results = await withTaskGroup(of: Bool.self) { tasks in
            for (index, store) in self.stores.enumerated() {
                tasks.addTask {
                    let user = StoredUser(
                        id: Self.user(index), name: name, passwordHash: "x", displayName: nil, avatar: nil,
                        created: Self.now)
                    return (try? await store.ask(AddUser(user))) == .added
                }
            }
            return await tasks.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 1)
    }

    private static let now = WallTime(seconds: 1_700_000_000)

    private static func user(_ index: Int) -> UserID {
        UserID("user-\(index)") ?? { preconditionFailure("no user id") }()
    }

    private func group(of count: Int) async throws -> ConversationID {
        var random = SystemRandomNumberGenerator()
        let id = ConversationID(RandomToken(using: &random))
        let request = CreationRequest(
            id, .group, by: Self.user(0), with: (1..<count).map { Self.user($0) }, at: Self.now)
        return try await self.stores[0].ask(request).get().conversation
    }

    private func say(
        _ text: String, _ sender: UserID, _ place: ConversationID, _ store: PostgresStore
    ) async throws -> Verdict<ChangeOutcome> {
        let body = MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8))
        return try await store.ask(
            ChangeRequest(.id(place), .post(Draft(.text, body)), by: sender, at: Self.now))
    }

    private func history(_ place: ConversationID, _ store: PostgresStore) async throws -> [UInt64] {
        let request = HistoryRequest(place, for: Self.user(0), .before(nil), limit: 1000)
        return try await store.ask(request).get().items.map(\.entry.number)
    }
}
