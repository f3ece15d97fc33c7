import Conversing
import Store
import TestSupport
import Testing
import Vocabulary

@Suite("The store of conversations")
struct ConversationStoreTests {
    private let store: SQLiteStore
    private let talk: Talk

    init() throws {
        self.store = try SQLiteStore(path: ":memory:")
        self.talk = Talk(store: self.store)
    }

    @Test("D02 D04 answers a retry with the same id and number, also when somebody else's message came between")
    func retries() async throws {
        let first = try await self.talk.say("hello", .alice, to: .bob, as: "m1")
        _ = try await self.talk.say("hi", .bob, to: .alice, as: "m1")
        let again = try await self.talk.say("hello", .alice, to: .bob, as: "m1")
        #expect(again.isRepeated && !first.isRepeated)
        #expect(again.entry.number == first.entry.number && again.conversation == first.conversation)
        #expect(again.entry.time == first.entry.time)
    }

    @Test("D13 keeps a message to oneself once, and counts nothing as unread")
    func oneself() async throws {
        let happening = try await self.talk.say("note", .alice, to: .alice)
        #expect(happening.came == [.alice])
        let views = try await self.talk.views(.alice)
        #expect(views.map(\.unread) == [0] && views.first?.members == 1)
        #expect(try await self.talk.history(happening.conversation, .alice).map(\.number) == [1])
    }

    @Test("D14 D15 keeps a kind nobody knows, as it came")
    func unknownKinds() async throws {
        let kind = try #require(MessageKind("My:Type"))
        let body = Array(#"{"999":[1, 2,{"a":"\u4f60"}]}"#.utf8)
        let happening = try await self.talk.post(Draft(kind, MessageBody(proven: body)), .alice, to: .bob)
        let entry = try await self.talk.history(happening.conversation, .bob).first
        #expect(entry?.kind == kind && entry?.body == body)
    }

    @Test("D17 takes the words of a recalled message out of everything: history, edits, reactions, search")
    func recall() async throws {
        let place = try await self.talk.say("secret plan", .alice, to: .bob).conversation
        try await self.talk.change(place, .edit(1, Talk.body("secret scheme")), .alice)
        try await self.talk.change(place, .react(1, try #require(Reaction("👍")), isOn: true), .bob)
        #expect(try await self.talk.find("scheme", .bob) == [1])
        #expect(try await self.talk.find("plan", .bob) == [])
        try await self.talk.change(place, .recall(1), .alice)
        let entries = try await self.talk.history(place, .bob)
        #expect(entries.map(\.sort) == [.message, .edited, .reacted, .recalled])
        #expect(entries[0].body == nil && entries[0].isRecalled && entries[1].body == nil)
        #expect(entries[0].reactions.isEmpty)
        #expect(try await self.talk.find("scheme", .bob) == [])
        #expect(try await self.talk.views(.bob).map(\.unread) == [0])
    }

    @Test("D18 forwards a message as a new one with the same words, if its sender can see it")
    func forward() async throws {
        let place = try await self.talk.say("look", .alice, to: .bob).conversation
        var request = ChangeRequest(
            .user(.carol, new: try self.talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .bob, at: Talk.now)
        request.original = (place, 1)
        let forwarded = try await self.talk.change(request)
        #expect(forwarded.entry.body == Talk.body("look").json && forwarded.entry.isForwarded)
        #expect(forwarded.conversation != place)
        let stolen = ChangeRequest(
            .user(.bob, new: try self.talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .carol, at: Talk.now)
        var theft = stolen
        theft.original = (place, 1)
        await #expect(throws: ConversationRefusal.notMember) { try await self.talk.change(theft) }
    }

    @Test("forwards what was said through another door without what that door's clients are told of its sender")
    func forwardingAcrossDoors() async throws {
        let json = #"{"text":"look","fl":{"from_user":"alice"},"\u006fc":{"type":"ORDER_CANCELLED"},"a":[1]}"#
        let draft = Draft(.text, MessageBody(proven: Array(json.utf8)))
        let first = try await self.talk.change(
            ChangeRequest(.user(.bob, new: try self.talk.newID()), .post(draft), by: .alice, at: Talk.now))
        var request = ChangeRequest(
            .user(.carol, new: try self.talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .bob, at: Talk.now)
        request.original = (first.conversation, 1)
        request.keptFields = KeptFields(members: ["fl", "oc"])
        let forwarded = try await self.talk.change(request)
        #expect(forwarded.entry.body == Array(#"{"text":"look","a":[1]}"#.utf8))
    }

    @Test("D23 refuses who is blocked, also before their first message, until they are not")
    func blocks() async throws {
        try await ask { self.store.setBlocked(true, .alice, by: .bob, $0) }.get()
        await #expect(throws: ConversationRefusal.blocked) { try await self.talk.say("hi", .alice, to: .bob) }
        #expect(try await self.talk.views(.bob).isEmpty)
        _ = try await self.talk.say("hi", .bob, to: .alice)
        await #expect(throws: ConversationRefusal.blocked) { try await self.talk.say("hi", .alice, to: .bob) }
        #expect(try await ask { self.store.blocked(by: .bob, $0) } == [.alice])
        try await ask { self.store.setBlocked(false, .alice, by: .bob, $0) }.get()
        #expect(try await self.talk.say("hi", .alice, to: .bob).entry.number == 2)
    }

    @Test("D23 keeps whom people do not want to hear from: people one user blocks")
    func mostBlocked() async throws {
        func block(_ name: Int, _ isBlocked: Bool = true) async throws -> Result<Void, ConversationRefusal> {
            let other = try #require(UserID("user-\(name)"))
            return try await ask { self.store.setBlocked(isBlocked, other, by: .bob, $0) }
        }
        for name in 0..<1000 { try await block(name).get() }
        await #expect(throws: ConversationRefusal.tooManyBlocked) { try await block(1000).get() }
        try await block(7).get()
        try await block(0, false).get()
        try await block(1000).get()
        #expect(try await ask { self.store.blocked(by: .bob, $0) }.count == 1000)
    }

    @Test("D23 brings nobody together with whom they block, unless the server does")
    func blockedInvitations() async throws {
        try await ask { self.store.setBlocked(true, .alice, by: .bob, $0) }.get()
        func create(_ kind: ConversationKind, _ users: [UserID]) async throws -> Result<Happening, ConversationRefusal>
        {
            let request = CreationRequest(try self.talk.newID(), kind, by: .alice, with: users, at: Talk.now)
            return try await ask { self.store.create(request, $0) }
        }
        #expect(try await create(.group, [.bob]) == .failure(.blocked))
        let made = try await create(.group, [.bob, .carol]).get()
        #expect(Set(made.came) == [.alice, .carol])
        await #expect(throws: ConversationRefusal.blocked) {
            try await self.talk.change(made.conversation, .invite([.bob]), .alice)
        }
        #expect(try await self.talk.change(made.conversation, .invite([.bob]), .carol).came == [.bob])
        #expect(try await Set(create(.bound(to: "ticket"), [.bob]).get().came) == [.alice, .bob])
        #expect(try await create(.group, []).get().came == [.alice])
    }

    @Test("E01 lists conversations with the latest first, page by page")
    func list() async throws {
        var names: [UserID] = []
        for number in 0..<7 {
            let user = try #require(UserID("friend\(number)"))
            names.append(user)
            _ = try await self.talk.say("hi", user, to: .alice, at: Talk.now + .seconds(number))
        }
        _ = try await self.talk.say("again", names[2], to: .alice, at: Talk.now + .seconds(100))
        var found: [UserID?] = []
        var place: ConversationPlace?
        repeat {
            let page = try await ask { self.store.conversations(of: .alice, before: place, limit: 3, $0) }
            found += page.views.map(\.peer?.user)
            place = page.hasMore ? page.views.last?.place : nil
        } while place != nil
        #expect(found == [2, 6, 5, 4, 3, 1, 0].map { names[$0] })
        let whole = try await ask { self.store.conversations(of: .alice, before: nil, limit: 7, $0) }
        #expect(whole.views.count == 7 && !whole.hasMore)
    }

    @Test("E06 pages through history both ways, with an end")
    func pages() async throws {
        var place: ConversationID?
        for number in 1...25 { place = try await self.talk.say("\(number)", .alice, to: .bob).conversation }
        let id = try #require(place)
        var before: UInt64?
        var pages: [[UInt64]] = []
        var hasMore = true
        while hasMore {
            let request = HistoryRequest(id, for: .bob, .before(before), limit: 10)
            let page = try await ask { self.store.history(request, $0) }.get()
            pages.append(page.items.map(\.entry.number))
            before = page.items.first?.entry.number
            hasMore = page.hasMore
        }
        #expect(pages == [Array(16...25), Array(6...15), Array(1...5)])
        let request = HistoryRequest(id, for: .bob, .after(20), limit: 10)
        let page = try await ask { self.store.history(request, $0) }.get()
        #expect(page.items.map(\.entry.number) == Array(21...25) && !page.hasMore)
        for direction in [HistoryRequest.Direction.before(0), .before(1), .after(.max)] {
            let request = HistoryRequest(id, for: .bob, direction, limit: 10)
            #expect(try await ask { self.store.history(request, $0) }.get().items.isEmpty)
        }
    }

    @Test("E09 hands out what was missed with the number that remains, from where the device stopped")
    func sync() async throws {
        var id: ConversationID?
        for number in 1...260 { id = try await self.talk.say("\(number)", .alice, to: .bob).conversation }
        let place = try #require(id)
        let phone = try #require(DeviceID("phone"))
        let first = try await ask { self.store.sync(SyncRequest(.bob, on: phone), $0) }
        #expect(first.pieces.map { $0.entries.map(\.number) } == [Array(1...200)])
        #expect(first.pieces.first?.remaining == 60)
        let mark = MarkRequest(place, of: .bob, on: phone, delivered: 250, at: Talk.now)
        _ = try await ask { self.store.mark(mark, $0) }.get()
        let next = try await ask { self.store.sync(SyncRequest(.bob, on: phone), $0) }
        #expect(next.pieces.map { $0.entries.map(\.number) } == [Array(251...260)])
        let positions = [place: UInt64(258)]
        let told = try await ask { self.store.sync(SyncRequest(.bob, on: phone, from: positions), $0) }
        #expect(told.pieces.map { $0.entries.map(\.number) } == [[259, 260]])
        let alice = try await ask { self.store.sync(SyncRequest(.alice, on: phone), $0) }
        // Who has read everything gets a glance.
        #expect(alice.pieces.map { $0.entries.map(\.number) } == [Array(241...260)])
    }

    @Test("E14 clears history for one of two, and takes the conversation out of the list until something is said")
    func clear() async throws {
        let place = try await self.talk.say("hi", .alice, to: .bob).conversation
        #expect(try await ask { self.store.clear(place, of: .bob, $0) }.get() == 1)
        #expect(try await self.talk.views(.bob).isEmpty)
        #expect(try await self.talk.history(place, .alice).count == 1)
        _ = try await self.talk.say("still there?", .alice, to: .bob)
        #expect(try await self.talk.views(.bob).map(\.unread) == [1])
        #expect(try await self.talk.history(place, .bob).map(\.number) == [2])
    }

    @Test("E10 E15 knows how far the other got, and who wants quiet")
    func marks() async throws {
        let place = try await self.talk.say("hi", .alice, to: .bob).conversation
        let phone = try #require(DeviceID("phone"))
        let mark = MarkRequest(place, of: .bob, on: phone, read: 1, at: Talk.now)
        let marked = try await ask { self.store.mark(mark, $0) }.get()
        #expect(marked.isNews && marked.unread == 0)
        #expect(try await !ask { self.store.mark(mark, $0) }.get().isNews)
        #expect(try await self.talk.views(.alice).first?.peer?.read == 1)
        try await ask { self.store.setMuted(true, place, of: .bob, $0) }.get()
        #expect(try await self.talk.views(.bob).first?.isMuted == true)
        #expect(try await self.talk.views(.alice).first?.isMuted == false)
    }

    @Test("finds Chinese as well as English, and only what the searcher can see")
    func search() async throws {
        let place = try await self.talk.say("今天天气很好", .alice, to: .bob).conversation
        _ = try await self.talk.say("The weather is fine", .bob, to: .alice)
        _ = try await self.talk.say("天气不好", .carol, to: .alice)
        #expect(try await self.talk.find("天气", .bob) == [1])
        #expect(try await self.talk.find("天气", .alice).count == 2)
        #expect(try await self.talk.find("气", .bob) == [1])
        #expect(try await self.talk.find("天很", .bob) == [])
        #expect(try await self.talk.find("WEATH fine", .alice) == [2])
        #expect(try await self.talk.find("\"", .alice) == [])
        let request = SearchRequest("天气", for: .carol, in: place, limit: 10)
        let answer = try await ask { self.store.search(request, $0) }
        #expect(throws: ConversationRefusal.notMember) { try answer.get() }
    }

    @Test("says of a search whether there is more", arguments: [(1, true), (2, true), (3, false), (4, false)])
    func searchEnds(limit: Int, hasMore: Bool) async throws {
        for text in ["rain", "more rain"] { try await self.talk.say(text, .alice, to: .bob) }
        try await self.talk.say("rain again", .carol, to: .bob)
        let page = try await ask { self.store.search(SearchRequest("rain", for: .bob, limit: limit), $0) }.get()
        #expect(page.items.count == min(limit, 3) && page.hasMore == hasMore)
    }

    @Test("asks the index nothing it could not understand, whatever is typed")
    func searchesForNonsense() async throws {
        _ = try await self.talk.say("今天 hello \u{301}", .alice, to: .bob)
        var random = SeededRandom(seed: 11)
        let letters = Array("\"*()^:+-NEAR AND OR NOT今天hé\u{301}\u{0}\u{FFFD}😀ก '%_;".unicodeScalars)
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                text.append(letters[Int.random(in: letters.indices, using: &random)])
            }
            _ = try await self.talk.find(String(text), .alice)
        }
    }

    @Test("F01 creates a group once, and never under a name that is taken")
    func groups() async throws {
        let id = try self.talk.newID()
        let name = MessageID("create-1")
        let request = CreationRequest(
            id, .group, title: DisplayName("Team"), by: .alice, with: [.bob], as: name, at: Talk.now)
        let first = try await ask { self.store.create(request, $0) }.get()
        #expect(Set(first.came) == [.alice, .bob] && first.entry.sort == .created)
        #expect(try await ask { self.store.create(request, $0) }.get().isRepeated)
        let other = CreationRequest(id, .group, by: .carol, at: Talk.now)
        let answer = try await ask { self.store.create(other, $0) }
        #expect(throws: ConversationRefusal.taken) { try answer.get() }
    }
}

/// What the tests say to a store.
private struct Talk {
    static let now = WallTime(seconds: 1_700_000_000)
    let store: SQLiteStore

    static func body(_ text: String) -> MessageBody { MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8)) }

    func newID() throws -> ConversationID {
        var random = SystemRandomNumberGenerator()
        return ConversationID(RandomToken(using: &random))
    }

    @discardableResult
    func change(_ request: ChangeRequest) async throws -> Happening {
        try await ask { self.store.change(request, $0) }.get()
    }

    @discardableResult
    func change(_ id: ConversationID, _ change: ConversationChange, _ actor: UserID) async throws -> Happening {
        try await self.change(ChangeRequest(.id(id), change, by: actor, at: Self.now))
    }

    func post(
        _ draft: Draft, _ sender: UserID, to other: UserID, as client: String? = nil, at time: WallTime = now
    ) async throws -> Happening {
        try await self.change(
            ChangeRequest(
                .user(other, new: try self.newID()), .post(draft), by: sender, as: client.flatMap { MessageID($0) },
                at: time))
    }

    @discardableResult
    func say(
        _ text: String, _ sender: UserID, to other: UserID, as client: String? = nil, at time: WallTime = now
    ) async throws -> Happening {
        try await self.post(Draft(.text, Self.body(text)), sender, to: other, as: client, at: time)
    }

    func views(_ user: UserID) async throws -> [ConversationView] {
        try await ask { self.store.conversations(of: user, before: nil, limit: 100, $0) }.views
    }

    func history(_ id: ConversationID, _ user: UserID) async throws -> [Entry] {
        let request = HistoryRequest(id, for: user, .before(nil), limit: 100)
        return try await ask { self.store.history(request, $0) }.get().items.map(\.entry)
    }

    func find(_ text: String, _ user: UserID) async throws -> [UInt64] {
        let request = SearchRequest(text, for: user, limit: 10)
        return try await ask { self.store.search(request, $0) }.get().items.map(\.entry.number)
    }
}

extension UserID {
    fileprivate static let carol = UserID("carol") ?? { preconditionFailure("no user id") }()
}
