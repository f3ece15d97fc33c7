import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("The store of conversations")
struct ConversationStoreTests {
    @Test(
        "D02 D04 answers a retry with the same id and number, also when somebody else's message came between",
        arguments: Engine.allCases)
    func retries(engine: Engine) async throws {
        let talk = try Talk(engine)
        let first = try await talk.say("hello", .alice, to: .bob, as: "m1")
        _ = try await talk.say("hi", .bob, to: .alice, as: "m1")
        let again = try await talk.say("hello", .alice, to: .bob, as: "m1")
        #expect(again.isRepeated && !first.isRepeated)
        #expect(again.entry.number == first.entry.number && again.conversation == first.conversation)
        #expect(again.entry.time == first.entry.time)
    }

    @Test("D13 keeps a message to oneself once, and counts nothing as unread", arguments: Engine.allCases)
    func oneself(engine: Engine) async throws {
        let talk = try Talk(engine)
        let outcome = try await talk.say("note", .alice, to: .alice)
        #expect(outcome.came == [.alice])
        let views = try await talk.views(.alice)
        #expect(views.map(\.unread) == [0] && views.first?.members == 1)
        #expect(try await talk.history(outcome.conversation, .alice).map(\.number) == [1])
    }

    @Test("D14 D15 keeps a kind nobody knows, as it came", arguments: Engine.allCases)
    func unknownKinds(engine: Engine) async throws {
        let talk = try Talk(engine)
        let kind = try #require(MessageKind("My:Type"))
        let body = Array(#"{"999":[1, 2,{"a":"\u4f60"}]}"#.utf8)
        let outcome = try await talk.post(Draft(kind, MessageBody(proven: body)), .alice, to: .bob)
        let entry = try await talk.history(outcome.conversation, .bob).first
        #expect(entry?.kind == kind && entry?.body == body)
    }

    @Test(
        "D17 takes the words of a recalled message out of everything: history, edits, reactions, search",
        arguments: Engine.allCases)
    func recall(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("secret plan", .alice, to: .bob).conversation
        try await talk.change(place, .edit(1, Talk.body("secret scheme")), .alice)
        try await talk.change(place, .react(1, try #require(Reaction("👍")), isOn: true), .bob)
        #expect(try await talk.find("scheme", .bob) == [1])
        #expect(try await talk.find("plan", .bob) == [])
        try await talk.change(place, .recall(1), .alice)
        let entries = try await talk.history(place, .bob)
        #expect(entries.map(\.sort) == [.message, .edited, .reacted, .recalled])
        #expect(entries[0].body == nil && entries[0].isRecalled && entries[1].body == nil)
        #expect(entries[0].reactions.isEmpty)
        #expect(try await talk.find("scheme", .bob) == [])
        #expect(try await talk.views(.bob).map(\.unread) == [0])
    }

    @Test(
        "D18 forwards a message as a new one with the same words, if its sender can see it", arguments: Engine.allCases)
    func forward(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("look", .alice, to: .bob).conversation
        var request = ChangeRequest(
            .user(.carol, new: try talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .bob, at: Talk.now)
        request.original = (place, 1)
        let forwarded = try await talk.change(request)
        #expect(forwarded.entry.body == Talk.body("look").json && forwarded.entry.isForwarded)
        #expect(forwarded.conversation != place)
        let stolen = ChangeRequest(
            .user(.bob, new: try talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .carol, at: Talk.now)
        var theft = stolen
        theft.original = (place, 1)
        await #expect(throws: ConversationRefusal.notMember) { try await talk.change(theft) }
    }

    @Test(
        "forwards what was said through another door without what that door's clients are told of its sender",
        arguments: Engine.allCases)
    func forwardingAcrossDoors(engine: Engine) async throws {
        let talk = try Talk(engine)
        let json = #"{"text":"look","fl":{"from_user":"alice"},"\u006fc":{"type":"ORDER_CANCELLED"},"a":[1]}"#
        let draft = Draft(.text, MessageBody(proven: Array(json.utf8)))
        let first = try await talk.change(
            ChangeRequest(.user(.bob, new: try talk.newID()), .post(draft), by: .alice, at: Talk.now))
        var request = ChangeRequest(
            .user(.carol, new: try talk.newID()), .post(Draft(.text, Talk.body("x"))), by: .bob, at: Talk.now)
        request.original = (first.conversation, 1)
        request.keptFields = KeptFields(members: ["fl", "oc"])
        let forwarded = try await talk.change(request)
        #expect(forwarded.entry.body == Array(#"{"text":"look","a":[1]}"#.utf8))
    }

    @Test("D23 refuses who is blocked, also before their first message, until they are not", arguments: Engine.allCases)
    func blocks(engine: Engine) async throws {
        let talk = try Talk(engine)
        try await talk.store.ask(SetBlocked(true, .alice, by: .bob)).get()
        await #expect(throws: ConversationRefusal.blocked) { try await talk.say("hi", .alice, to: .bob) }
        #expect(try await talk.views(.bob).isEmpty)
        _ = try await talk.say("hi", .bob, to: .alice)
        await #expect(throws: ConversationRefusal.blocked) { try await talk.say("hi", .alice, to: .bob) }
        #expect(try await talk.store.ask(ListBlocked(by: .bob)) == [.alice])
        try await talk.store.ask(SetBlocked(false, .alice, by: .bob)).get()
        #expect(try await talk.say("hi", .alice, to: .bob).entry.number == 2)
    }

    @Test("D23 keeps whom people do not want to hear from: people one user blocks", arguments: Engine.allCases)
    func mostBlocked(engine: Engine) async throws {
        let talk = try Talk(engine)
        func block(_ name: Int, _ isBlocked: Bool = true) async throws -> Result<Void, ConversationRefusal> {
            let other = try #require(UserID("user-\(name)"))
            return try await talk.store.ask(SetBlocked(isBlocked, other, by: .bob))
        }
        for name in 0..<1000 { try await block(name).get() }
        await #expect(throws: ConversationRefusal.tooManyBlocked) { try await block(1000).get() }
        try await block(7).get()
        try await block(0, false).get()
        try await block(1000).get()
        #expect(try await talk.store.ask(ListBlocked(by: .bob)).count == 1000)
    }

    @Test("D23 brings nobody together with whom they block, unless the server does", arguments: Engine.allCases)
    func blockedInvitations(engine: Engine) async throws {
        let talk = try Talk(engine)
        try await talk.store.ask(SetBlocked(true, .alice, by: .bob)).get()
        func create(_ kind: ConversationKind, _ users: [UserID]) async throws -> Result<
            ChangeOutcome, ConversationRefusal
        > {
            let request = CreationRequest(try talk.newID(), kind, by: .alice, with: users, at: Talk.now)
            return try await talk.store.ask(request)
        }
        #expect(try await create(.group, [.bob]) == .failure(.blocked))
        let made = try await create(.group, [.bob, .carol]).get()
        #expect(Set(made.came) == [.alice, .carol])
        await #expect(throws: ConversationRefusal.blocked) {
            try await talk.change(made.conversation, .invite([.bob]), .alice)
        }
        #expect(try await talk.change(made.conversation, .invite([.bob]), .carol).came == [.bob])
        #expect(try await Set(create(.bound(to: "ticket"), [.bob]).get().came) == [.alice, .bob])
        #expect(try await create(.group, []).get().came == [.alice])
    }

    @Test("E01 lists conversations with the latest first, page by page", arguments: Engine.allCases)
    func list(engine: Engine) async throws {
        let talk = try Talk(engine)
        var names: [UserID] = []
        for number in 0..<7 {
            let user = try #require(UserID("friend\(number)"))
            names.append(user)
            _ = try await talk.say("hi", user, to: .alice, at: Talk.now + .seconds(number))
        }
        _ = try await talk.say("again", names[2], to: .alice, at: Talk.now + .seconds(100))
        var found: [UserID?] = []
        var place: ConversationPlace?
        repeat {
            let page = try await talk.store.ask(ListConversations(of: .alice, before: place, limit: 3))
            found += page.views.map(\.peer?.user)
            place = page.hasMore ? page.views.last?.place : nil
        } while place != nil
        #expect(found == [2, 6, 5, 4, 3, 1, 0].map { names[$0] })
        let whole = try await talk.store.ask(ListConversations(of: .alice, before: nil, limit: 7))
        #expect(whole.views.count == 7 && !whole.hasMore)
    }

    @Test("E06 pages through history both ways, with an end", arguments: Engine.allCases)
    func pages(engine: Engine) async throws {
        let talk = try Talk(engine)
        var place: ConversationID?
        for number in 1...25 { place = try await talk.say("\(number)", .alice, to: .bob).conversation }
        let id = try #require(place)
        var before: UInt64?
        var pages: [[UInt64]] = []
        var hasMore = true
        while hasMore {
            let request = HistoryRequest(id, for: .bob, .before(before), limit: 10)
            let page = try await talk.store.ask(request).get()
            pages.append(page.items.map(\.entry.number))
            before = page.items.first?.entry.number
            hasMore = page.hasMore
        }
        #expect(pages == [Array(16...25), Array(6...15), Array(1...5)])
        let request = HistoryRequest(id, for: .bob, .after(20), limit: 10)
        let page = try await talk.store.ask(request).get()
        #expect(page.items.map(\.entry.number) == Array(21...25) && !page.hasMore)
        for direction in [EntryRange.before(0), .before(1), .after(.max)] {
            let request = HistoryRequest(id, for: .bob, direction, limit: 10)
            #expect(try await talk.store.ask(request).get().items.isEmpty)
        }
    }

    @Test(
        "E09 hands out what was missed with the number that remains, from where the device stopped",
        arguments: Engine.allCases)
    func sync(engine: Engine) async throws {
        let talk = try Talk(engine)
        var id: ConversationID?
        for number in 1...260 { id = try await talk.say("\(number)", .alice, to: .bob).conversation }
        let place = try #require(id)
        let phone = try #require(DeviceID("phone"))
        let first = try await talk.store.ask(SyncRequest(.bob, on: phone))
        #expect(first.pieces.map { $0.entries.map(\.number) } == [Array(1...200)])
        #expect(first.pieces.first?.remaining == 60)
        let mark = MarkRequest(place, of: .bob, on: phone, delivered: 250, at: Talk.now)
        _ = try await talk.store.ask(mark).get()
        let next = try await talk.store.ask(SyncRequest(.bob, on: phone))
        #expect(next.pieces.map { $0.entries.map(\.number) } == [Array(251...260)])
        let positions = [place: UInt64(258)]
        let told = try await talk.store.ask(SyncRequest(.bob, on: phone, from: positions))
        #expect(told.pieces.map { $0.entries.map(\.number) } == [[259, 260]])
        let alice = try await talk.store.ask(SyncRequest(.alice, on: phone))
        // Who has read everything gets a glance.
        #expect(alice.pieces.map { $0.entries.map(\.number) } == [Array(241...260)])
    }

    @Test(
        "E14 clears history for one of two, and takes the conversation out of the list until something is said",
        arguments: Engine.allCases)
    func clear(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("hi", .alice, to: .bob).conversation
        #expect(try await talk.store.ask(ClearHistory(of: place, for: .bob)).get() == 1)
        #expect(try await talk.views(.bob).isEmpty)
        #expect(try await talk.history(place, .alice).count == 1)
        _ = try await talk.say("still there?", .alice, to: .bob)
        #expect(try await talk.views(.bob).map(\.unread) == [1])
        #expect(try await talk.history(place, .bob).map(\.number) == [2])
    }

    @Test("E10 E15 knows how far the other got, and who wants quiet", arguments: Engine.allCases)
    func marks(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("hi", .alice, to: .bob).conversation
        let phone = try #require(DeviceID("phone"))
        let mark = MarkRequest(place, of: .bob, on: phone, read: 1, at: Talk.now)
        let marked = try await talk.store.ask(mark).get()
        #expect(marked.isNews && marked.unread == 0)
        #expect(try await !talk.store.ask(mark).get().isNews)
        #expect(try await talk.views(.alice).first?.peer?.read == 1)
        try await talk.store.ask(SetMuted(true, place, of: .bob)).get()
        #expect(try await talk.views(.bob).first?.isMuted == true)
        #expect(try await talk.views(.alice).first?.isMuted == false)
    }

    @Test("E18.kept knows how far each device of a user read, and of nobody else's", arguments: Engine.allCases)
    func devices(engine: Engine) async throws {
        let talk = try Talk(engine)
        var id: ConversationID?
        for text in ["one", "two"] { id = try await talk.say(text, .alice, to: .bob).conversation }
        let place = try #require(id)
        let (phone, tablet) = (try #require(DeviceID("phone")), try #require(DeviceID("tablet")))
        let stranger = try #require(UserID("stranger"))
        let marks = [
            MarkRequest(place, of: .bob, on: phone, read: 2, at: Talk.now),
            MarkRequest(place, of: .bob, on: tablet, delivered: 2, read: 1, at: Talk.now + .seconds(1)),
            MarkRequest(place, of: .alice, on: phone, read: 1, at: Talk.now),
        ]
        for mark in marks { _ = try await talk.store.ask(mark).get() }
        let found = try await talk.store.ask(ViewMarks(in: place, of: .bob)).get()
        #expect(found.delivered == 2 && found.read == 2)
        #expect(found.devices.map(\.device) == [tablet, phone])
        #expect(found.devices.map(\.cursor.read) == [1, 2] && found.devices.map(\.cursor.delivered) == [2, 2])
        #expect(try await talk.store.ask(ViewMarks(in: place, of: stranger)) == .failure(.notMember))
    }

    @Test("E16.kept puts a conversation away for one, until something is said", arguments: Engine.allCases)
    func archive(engine: Engine) async throws {
        let talk = try Talk(engine)
        let place = try await talk.say("hi", .alice, to: .bob).conversation
        try await talk.store.ask(SetArchived(true, place, of: .bob)).get()
        #expect(try await talk.views(.bob).first?.isArchived == true)
        #expect(try await talk.views(.alice).first?.isArchived == false)
        try await talk.change(place, .react(1, try #require(Reaction("👍")), isOn: true), .alice)
        #expect(try await talk.views(.bob).first?.isArchived == true, "a reaction is no message")
        try await talk.store.ask(SetMuted(true, place, of: .bob)).get()
        #expect(try await talk.views(.bob).first?.isArchived == true)
        _ = try await talk.say("still there?", .alice, to: .bob)
        #expect(try await talk.views(.bob).first?.isArchived == false)
        try await talk.store.ask(SetArchived(true, place, of: .bob)).get()
        try await talk.store.ask(SetArchived(false, place, of: .bob)).get()
        #expect(try await talk.views(.bob).first?.isArchived == false)
        await #expect(throws: ConversationRefusal.notMember) {
            try await talk.store.ask(SetArchived(true, place, of: .carol)).get()
        }
    }

    @Test("F01 creates a group once, and never under a name that is taken", arguments: Engine.allCases)
    func groups(engine: Engine) async throws {
        let talk = try Talk(engine)
        let id = try talk.newID()
        let name = MessageID("create-1")
        let request = CreationRequest(
            id, .group, title: DisplayName("Team"), by: .alice, with: [.bob], as: name, at: Talk.now)
        let first = try await talk.store.ask(request).get()
        #expect(Set(first.came) == [.alice, .bob] && first.entry.sort == .created)
        #expect(try await talk.store.ask(request).get().isRepeated)
        let other = CreationRequest(id, .group, by: .carol, at: Talk.now)
        let answer = try await talk.store.ask(other)
        #expect(throws: ConversationRefusal.taken) { try answer.get() }
    }
}

@Suite("The store of those who went")
struct FormerMemberTests {
    @Test("M7 keeps who was sent away or silenced so, until they are invited", arguments: Engine.allCases)
    func formerMembers(engine: Engine) async throws {
        let talk = try Talk(engine)
        let id = try talk.newID()
        let creation = CreationRequest(id, .room, by: .alice, with: [.bob, .carol], at: Talk.now)
        _ = try await talk.store.ask(creation).get()
        let until = Talk.now + .seconds(60)
        let word = ConversationChange.post(Draft(.text, Talk.body("x")))
        try await talk.change(id, .silence(.bob, until: until), .alice)
        try await talk.change(id, .leave, .bob)
        try await talk.change(id, .join, .bob)
        await #expect(throws: ConversationRefusal.silenced(until: until)) { try await talk.change(id, word, .bob) }
        try await talk.change(id, .remove(.bob), .alice)
        for _ in 0..<2 {
            await #expect(throws: ConversationRefusal.removed) { try await talk.change(id, .join, .bob) }
        }
        await #expect(throws: ConversationRefusal.forbidden) { try await talk.change(id, .invite([.bob]), .carol) }
        try await talk.change(id, .invite([.bob]), .alice)
        await #expect(throws: ConversationRefusal.silenced(until: until)) { try await talk.change(id, word, .bob) }
        try await talk.change(id, .silence(.bob, until: nil), .alice)
        try await talk.change(id, .leave, .bob)
        try await talk.change(id, .join, .bob)
        try await talk.change(id, word, .bob)
    }
}
