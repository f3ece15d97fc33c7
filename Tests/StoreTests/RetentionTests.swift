import Conversing
import TestSupport
import Testing
import Vocabulary

@testable import Store

@Suite("What was said too long ago")
struct RetentionTests {
    private let store: SQLiteStore
    private let id: ConversationID

    init() throws {
        self.store = try SQLiteStore(path: Connection.memory)
        self.id = try #require(ConversationID("c"))
    }

    private static let day: Int64 = 86_400_000

    private func say(_ text: String, onDay day: Int64, by user: UserID = .alice) async throws -> Happening {
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"\#(text)"}"#.utf8)))
        let other: UserID = user == .alice ? .bob : .alice
        let request = ChangeRequest(
            .user(other, new: self.id), .post(draft), by: user, at: WallTime(milliseconds: day * Self.day))
        return try await ask { self.store.change(request, $0) }.get()
    }

    private func sweep(onDay day: Int64, usual: Int64? = nil, limit: Int = 1000) async throws -> Int {
        var sweep = EntrySweep(
            at: WallTime(milliseconds: day * Self.day), usual: usual.map { .milliseconds($0 * Self.day) })
        sweep.limit = limit
        var count = 0
        while true {
            let swept = try await ask { self.store.sweepEntries(sweep, $0) }
            count += swept.count
            guard let next = swept.next else { return count }
            sweep.start = next
        }
    }

    private func numbers(of user: UserID = .bob) async throws -> [UInt64] {
        let request = HistoryRequest(self.id, for: user, .before(nil), limit: 100)
        return try await ask { self.store.history(request, $0) }.get().items.map(\.entry.number)
    }

    private func unread(of user: UserID = .bob) async throws -> UInt64 {
        try await ask { self.store.conversation(self.id, of: user, $0) }.get().unread
    }

    private func retention(seenBy user: UserID) async throws -> Duration? {
        try await ask { self.store.conversation(self.id, of: user, $0) }.get().retention
    }

    @Test("goes, the oldest first, and the numbers go on", arguments: [1, 2, 1000])
    func sweeping(limit: Int) async throws {
        for day: Int64 in 1...6 { _ = try await self.say("word\(day)", onDay: day) }
        #expect(try await self.unread() == 6)
        #expect(try await self.sweep(onDay: 7, usual: 4, limit: limit) == 2)
        #expect(try await self.numbers() == [3, 4, 5, 6])
        #expect(try await self.unread() == 4, "nobody can read what is gone")
        #expect(try await self.say("more", onDay: 7).entry.number == 7)
        let found = try await ask { self.store.search(SearchRequest("word1", for: .bob, limit: 9), $0) }.get()
        #expect(found.items.isEmpty)
        let synced = try await ask { self.store.sync(SyncRequest(.bob, on: .main, from: [self.id: 0]), $0) }
        #expect(synced.pieces.map(\.remaining) == [0])
    }

    @Test("stays when it is the last that was said")
    func latest() async throws {
        for day: Int64 in 1...3 { _ = try await self.say("x", onDay: day) }
        #expect(try await self.sweep(onDay: 1000, usual: 1) == 2)
        #expect(try await self.numbers() == [3])
        #expect(try await self.sweep(onDay: 1000, usual: 1) == 0)
    }

    @Test("stays for ever where nobody says otherwise, and less long where a conversation says so")
    func perConversation() async throws {
        for day: Int64 in 1...6 { _ = try await self.say("x", onDay: day) }
        #expect(try await self.sweep(onDay: 100) == 0)
        let set = { (days: Int64?, user: UserID) async throws -> Bool in
            let retention = days.map { Duration.milliseconds($0 * Self.day) }
            let result = try await ask { self.store.setRetention(retention, self.id, by: user, $0) }
            return (try? result.get()) != nil
        }
        #expect(try await !set(3, try #require(UserID("carol"))))
        #expect(try await set(3, .bob))
        #expect(try await self.retention(seenBy: .alice) == .seconds(3 * 86_400))
        #expect(try await self.sweep(onDay: 7) == 3)
        #expect(try await self.sweep(onDay: 8, usual: 100) == 1)
        #expect(try await set(nil, .alice))
        #expect(try await self.retention(seenBy: .bob) == nil)
        #expect(try await self.sweep(onDay: 100) == 0)
    }

    @Test("is no past of a room for those who come later")
    func rooms() async throws {
        let carol = try #require(UserID("carol"))
        let creation = CreationRequest(self.id, .room, by: .alice, at: WallTime(milliseconds: 0))
        _ = try await ask { self.store.create(creation, $0) }.get()
        for day: Int64 in 1...6 {
            let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
            let request = ChangeRequest(
                .id(self.id), .post(draft), by: .alice, at: WallTime(milliseconds: day * Self.day))
            _ = try await ask { self.store.change(request, $0) }.get()
        }
        #expect(try await self.sweep(onDay: 7, usual: 3) == 4)
        let join = ChangeRequest(.id(self.id), .join, by: carol, at: WallTime(milliseconds: 7 * Self.day))
        _ = try await ask { self.store.change(join, $0) }.get()
        for (direction, numbers) in [
            (HistoryRequest.Direction.before(nil), [5, 6, 7, 8]), (.before(7), [5, 6]), (.before(5), []),
            (.before(3), []), (.after(0), [5, 6, 7, 8]), (.after(3), [5, 6, 7, 8]),
        ] as [(HistoryRequest.Direction, [UInt64])] {
            let request = HistoryRequest(self.id, for: carol, direction, limit: 10)
            let page = try await ask { self.store.history(request, $0) }.get()
            #expect(page.items.map(\.entry.number) == numbers && !page.hasMore, "\(direction)")
        }
    }

    @Test("can be set in a group by those who lead it only")
    func groups() async throws {
        let request = CreationRequest(self.id, .group, by: .alice, with: [.bob], at: WallTime(milliseconds: 0))
        _ = try await ask { self.store.create(request, $0) }.get()
        let refused = try await ask { self.store.setRetention(.seconds(1), self.id, by: .bob, $0) }
        guard case .failure(.forbidden) = refused else { return #expect(Bool(false), "\(refused)") }
        try await ask { self.store.setRetention(.seconds(1), self.id, by: .alice, $0) }.get()
    }
}
