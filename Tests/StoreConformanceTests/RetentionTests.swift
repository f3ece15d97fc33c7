import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("What was said too long ago")
struct RetentionTests {
    @Test("goes, the oldest first, and the numbers go on", arguments: Engine.allCases, [1, 2, 1000])
    func sweeping(engine: Engine, limit: Int) async throws {
        let diary = try Diary(engine)
        for day: Int64 in 1...6 { _ = try await diary.say("word\(day)", onDay: day) }
        #expect(try await diary.unread() == 6)
        #expect(try await diary.sweep(onDay: 7, usual: 4, limit: limit) == 2)
        #expect(try await diary.numbers() == [3, 4, 5, 6])
        #expect(try await diary.unread() == 4, "nobody can read what is gone")
        #expect(try await diary.say("more", onDay: 7).entry.number == 7)
        let found = try await diary.store.found(SearchRequest("word1", for: .bob, limit: 9)).get()
        #expect(found.items.isEmpty)
        let synced = try await diary.store.ask(SyncRequest(.bob, on: .main, from: [diary.id: 0]))
        #expect(synced.pieces.map(\.remaining) == [0])
    }

    @Test("stays when it is the last that was said", arguments: Engine.allCases)
    func latest(engine: Engine) async throws {
        let diary = try Diary(engine)
        for day: Int64 in 1...3 { _ = try await diary.say("x", onDay: day) }
        #expect(try await diary.sweep(onDay: 1000, usual: 1) == 2)
        #expect(try await diary.numbers() == [3])
        #expect(try await diary.sweep(onDay: 1000, usual: 1) == 0)
    }

    @Test(
        "stays for ever where nobody says otherwise, and less long where a conversation says so",
        arguments: Engine.allCases)
    func perConversation(engine: Engine) async throws {
        let diary = try Diary(engine)
        for day: Int64 in 1...6 { _ = try await diary.say("x", onDay: day) }
        #expect(try await diary.sweep(onDay: 100) == 0)
        let set = { (days: Int64?, user: UserID) async throws -> Bool in
            let retention = days.map { Duration.milliseconds($0 * Diary.day) }
            let result = try await diary.store.ask(SetRetention(retention, diary.id, by: user))
            return (try? result.get()) != nil
        }
        #expect(try await !set(3, try #require(UserID("carol"))))
        #expect(try await set(3, .bob))
        #expect(try await diary.retention(seenBy: .alice) == .seconds(3 * 86_400))
        #expect(try await diary.sweep(onDay: 7) == 3)
        #expect(try await diary.sweep(onDay: 8, usual: 100) == 1)
        #expect(try await set(nil, .alice))
        #expect(try await diary.retention(seenBy: .bob) == nil)
        #expect(try await diary.sweep(onDay: 100) == 0)
    }

    @Test("is no past of a room for those who come later", arguments: Engine.allCases)
    func rooms(engine: Engine) async throws {
        let diary = try Diary(engine)
        let carol = try #require(UserID("carol"))
        let creation = CreationRequest(diary.id, .room, by: .alice, at: WallTime(milliseconds: 0))
        _ = try await diary.store.ask(creation).get()
        for day: Int64 in 1...6 {
            let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
            let request = ChangeRequest(
                .id(diary.id), .post(draft), by: .alice, at: WallTime(milliseconds: day * Diary.day))
            _ = try await diary.store.ask(request).get()
        }
        #expect(try await diary.sweep(onDay: 7, usual: 3) == 4)
        let join = ChangeRequest(.id(diary.id), .join, by: carol, at: WallTime(milliseconds: 7 * Diary.day))
        _ = try await diary.store.ask(join).get()
        for (direction, numbers) in [
            (EntryRange.before(nil), [5, 6, 7, 8]), (.before(7), [5, 6]), (.before(5), []),
            (.before(3), []), (.after(0), [5, 6, 7, 8]), (.after(3), [5, 6, 7, 8]),
        ] as [(EntryRange, [UInt64])] {
            let request = HistoryRequest(diary.id, for: carol, direction, limit: 10)
            let page = try await diary.store.ask(request).get()
            #expect(page.items.map(\.entry.number) == numbers && !page.hasMore, "\(direction)")
        }
    }

    @Test("can be set in a group by those who lead it only", arguments: Engine.allCases)
    func groups(engine: Engine) async throws {
        let diary = try Diary(engine)
        let request = CreationRequest(diary.id, .group, by: .alice, with: [.bob], at: WallTime(milliseconds: 0))
        _ = try await diary.store.ask(request).get()
        let refused = try await diary.store.ask(SetRetention(.seconds(1), diary.id, by: .bob))
        guard case .failure(.forbidden) = refused else { return #expect(Bool(false), "\(refused)") }
        try await diary.store.ask(SetRetention(.seconds(1), diary.id, by: .alice)).get()
    }
}

/// One conversation, day by day.
private struct Diary {
    let store: TestStore
    let id: ConversationID

    init(_ engine: Engine) throws {
        self.store = try TestStore(engine)
        self.id = try #require(ConversationID("c"))
    }

    static let day: Int64 = 86_400_000

    func say(_ text: String, onDay day: Int64, by user: UserID = .alice) async throws -> ChangeOutcome {
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"\#(text)"}"#.utf8)))
        let other: UserID = user == .alice ? .bob : .alice
        let request = ChangeRequest(
            .user(other, new: self.id), .post(draft), by: user, at: WallTime(milliseconds: day * Self.day))
        return try await self.store.ask(request).get()
    }

    func sweep(onDay day: Int64, usual: Int64? = nil, limit: Int = 1000) async throws -> Int {
        var sweep = EntrySweep(
            at: WallTime(milliseconds: day * Self.day), usual: usual.map { .milliseconds($0 * Self.day) })
        sweep.limit = limit
        var count = 0
        while true {
            let swept = try await self.store.ask(sweep)
            count += swept.count
            guard let next = swept.next else { return count }
            sweep.start = next
        }
    }

    func numbers(of user: UserID = .bob) async throws -> [UInt64] {
        let request = HistoryRequest(self.id, for: user, .before(nil), limit: 100)
        return try await self.store.ask(request).get().items.map(\.entry.number)
    }

    func unread(of user: UserID = .bob) async throws -> UInt64 {
        try await self.store.ask(ViewConversation(self.id, for: user)).get().unread
    }

    func retention(seenBy user: UserID) async throws -> Duration? {
        try await self.store.ask(ViewConversation(self.id, for: user)).get().retention
    }
}
