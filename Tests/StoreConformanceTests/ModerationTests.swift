import Conversing
import Keeping
import MemoryStore
import TestSupport
import Testing
import Vocabulary

@Suite("A store of moderators and reports")
struct ModerationTests {
    private static let now = WallTime(seconds: 1_700_000_000)

    private struct Plaza {
        let store: TestStore
        let id: ConversationID
        let carol: UserID

        init(_ engine: Engine) async throws {
            self.store = try TestStore(engine)
            self.carol = try #require(UserID("carol"))
            self.id = try #require(ConversationID("plaza"))
            for user in [UserID.alice, .bob, self.carol] {
                let words = Introduction(
                    user, displayName: DisplayName(user.text), avatar: nil, at: ModerationTests.now)
                _ = try await self.store.ask(words)
            }
            _ = try await self.store.ask(CreationRequest(self.id, .room, by: .alice, at: ModerationTests.now)).get()
            try await self.change(.join, .bob)
            #expect(try await self.store.ask(SetModerator(true, self.carol, at: ModerationTests.now)))
        }

        func change(_ change: ConversationChange, _ user: UserID) async throws {
            _ = try await self.store.ask(ChangeRequest(.id(self.id), change, by: user, at: ModerationTests.now)).get()
        }

        func sanctions(
            _ user: UserID = .alice, after place: SanctionPlace? = nil, at now: WallTime = ModerationTests.now
        ) async throws -> Verdict<[SanctionView]> {
            try await self.store.ask(ListSanctions(of: self.id, for: user, after: place, limit: 10, at: now))
        }
    }

    @Test("F10.power lets moderators do what needs power over others, and nothing else", arguments: Engine.allCases)
    func power(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"bad"}"#.utf8)))
        try await plaza.change(.post(draft), .alice)
        try await plaza.change(.recall(3), plaza.carol)
        try await plaza.change(.silence(.alice, until: Self.now + .seconds(60)), plaza.carol)
        try await plaza.change(.remove(.alice), plaza.carol)
        // Another one leads now.
        let members = try await plaza.store.ask(MemberRequest(plaza.id, for: .bob, limit: 9)).get()
        #expect(members.map(\.role) == [.owner])
        await #expect(throws: ConversationRefusal.notMember) { try await plaza.change(.dissolve, plaza.carol) }
        let audit = try await plaza.store.ask(ListAudit(after: nil, limit: 9))
        #expect(audit.map(\.action) == ["chat.recall", "chat.silence", "chat.remove"])
        #expect(audit.allSatisfy { $0.actor.name == "carol" && $0.target == "alice" && $0.outcome == .done })
        #expect(try await plaza.store.ask(SetModerator(false, plaza.carol, at: Self.now)))
        await #expect(throws: ConversationRefusal.notMember) { try await plaza.change(.remove(.bob), plaza.carol) }
        let stranger = try #require(UserID("stranger"))
        #expect(try await !plaza.store.ask(SetModerator(true, stranger, at: Self.now)))
        #expect(try await plaza.store.ask(ListModerators()).isEmpty)
    }

    @Test("F11.list tells who was sent away or silenced, until when and why", arguments: Engine.allCases)
    func sanctions(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let (until, reason) = (Self.now + .seconds(60), DisplayName("spam"))
        try await plaza.change(.silence(.bob, until: until, reason: reason), .alice)
        try await plaza.change(.remove(.bob, reason: reason), plaza.carol)
        let listed = try await plaza.sanctions().get().map(\.sanction)
        #expect(listed.map(\.kind) == [.removed, .silenced] && listed.map(\.until) == [nil, until])
        #expect(listed.map(\.actor) == [plaza.carol, .alice] && listed.allSatisfy { $0.reason == reason })
        #expect(try await plaza.sanctions(after: listed[0].place).get().map(\.sanction) == [listed[1]])
        #expect(try await plaza.sanctions(at: until).get().map(\.sanction) == [listed[0]])
        #expect(try await plaza.sanctions(.bob) == .failure(.notMember))
        #expect(try await plaza.sanctions(plaza.carol).get().count == 2)
        try await plaza.store.ask(ForgetSanctions(endedBy: until))
        #expect(try await plaza.sanctions().get().map(\.sanction) == [listed[0]])
        _ = try await plaza.store.ask(Readmit(.bob, to: plaza.id, by: plaza.carol, at: Self.now)).get()
        #expect(try await plaza.sanctions().get().isEmpty)
        try await plaza.change(.join, .bob)
        // Who is brought back by an invitation is off the list as well.
        try await plaza.change(.remove(.bob), .alice)
        try await plaza.change(.invite([.bob]), .alice)
        #expect(try await plaza.sanctions().get().isEmpty)
    }

    @Test("F12.report keeps one open report of each user and target", arguments: Engine.allCases)
    func reports(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"bad"}"#.utf8)))
        try await plaza.change(.post(draft), .bob)
        let send = { (target: ReportTarget, user: UserID) in
            try await plaza.store.ask(SendReport(target, by: user, .abuse, "look", at: Self.now))
        }
        let message = ReportTarget.message(plaza.id, 3)
        #expect(try await send(message, .alice) == .success(1))
        #expect(try await send(message, .alice) == .success(1))
        #expect(try await send(.user(.bob), .alice) == .success(2))
        #expect(try await send(.conversation(plaza.id), plaza.carol) == .success(3))
        #expect(try await send(message, plaza.carol) == .failure(.notMember))
        #expect(try await send(message, .bob) == .failure(.noMessage))
        #expect(try await send(.user(.alice), .alice) == .failure(.unknownUser))
        let open = try await plaza.store.ask(ListReports(isOpen: true, after: 0, limit: 9))
        #expect(open.map(\.target) == [message, .user(.bob), .conversation(plaza.id)])
        #expect(open[0].evidence == Array(#"{"text":"bad"}"#.utf8) && open[0].accused == .bob && open[0].text == "look")
        let settlement = Report.Settlement(at: Self.now, "dismiss", note: nil)
        #expect(try await plaza.store.ask(SettleReport(1, settlement)))
        #expect(try await !plaza.store.ask(SettleReport(1, settlement)))
        #expect(try await plaza.store.ask(FindReport(1))?.settlement == settlement)
        #expect(try await plaza.store.ask(ListReports(isOpen: true, after: 0, limit: 9)).map(\.number) == [2, 3])
        #expect(try await plaza.store.ask(ListReports(isOpen: false, after: 1, limit: 1)).map(\.number) == [2])
        #expect(try await send(message, .alice) == .success(4))
        try await plaza.store.ask(ForgetReports(settledBefore: Self.now + .seconds(1)))
        #expect(try await plaza.store.ask(FindReport(1)) == nil)
    }

    @Test("F15.kept Slow mode is set by those who lead and by moderators, and remembered", arguments: Engine.allCases)
    func slowMode(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let set = { (slowMode: Duration?, user: UserID) in
            try await plaza.store.ask(SetSlowMode(slowMode, plaza.id, by: user, at: Self.now)).get()
        }
        await #expect(throws: ConversationRefusal.forbidden) { try await set(.seconds(60), .bob) }
        try await set(.seconds(60), .alice)
        let view = try await plaza.store.ask(ViewConversation(plaza.id, for: .bob)).get()
        #expect(view.slowMode == .seconds(60))
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"x"}"#.utf8)))
        try await plaza.change(.post(draft), .bob)
        let wait = ConversationRefusal.tooFast(retryAfter: .seconds(60))
        await #expect(throws: wait) { try await plaza.change(.post(draft), .bob) }
        try await plaza.change(.leave, .bob)
        try await plaza.change(.join, .bob)
        await #expect(throws: wait) { try await plaza.change(.post(draft), .bob) }
        try await set(nil, plaza.carol)
        try await plaza.change(.post(draft), .bob)
        #expect(try await plaza.store.ask(ListAudit(after: nil, limit: 9)).map(\.action) == ["chat.slow"])
        let direct = ChangeRequest(
            .user(.alice, new: try #require(ConversationID("pair"))), .post(draft), by: .bob, at: Self.now)
        let pair = try await plaza.store.ask(direct).get().conversation
        let between = SetSlowMode(.seconds(1), pair, by: plaza.carol, at: Self.now)
        await #expect(throws: ConversationRefusal.forbidden) { try await plaza.store.ask(between).get() }
    }

    @Test("F16.kept A removal for a time is remembered and ends by itself", arguments: Engine.allCases)
    func timedRemoval(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let until = Self.now + .seconds(60)
        try await plaza.change(.remove(.bob, until: until), .alice)
        #expect(try await plaza.sanctions().get().map(\.sanction.until) == [until])
        await #expect(throws: ConversationRefusal.removed) { try await plaza.change(.join, .bob) }
        #expect(try await plaza.sanctions(at: until).get().isEmpty)
        _ = try await plaza.store.ask(ChangeRequest(.id(plaza.id), .join, by: .bob, at: until)).get()
        #expect(try await plaza.sanctions().get().isEmpty)
    }

    @Test("F12.rooms A report names a signalling room, or somebody in it", arguments: Engine.allCases)
    func roomReports(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let hall = try #require(RoomName("hall"))
        let send = { (user: UserID?) in
            try await plaza.store.ask(SendReport(.room(hall, user), by: .alice, .abuse, nil, at: Self.now))
        }
        #expect(try await send(nil) == .success(1))
        #expect(try await send(.bob) == .success(2))
        #expect(try await send(.bob) == .success(2))
        #expect(try await send(UserID("nobody")) == .failure(.unknownUser))
        #expect(try await send(.alice) == .failure(.unknownUser))
        let open = try await plaza.store.ask(ListReports(isOpen: true, after: 0, limit: 9))
        #expect(open.map(\.target) == [.room(hall, nil), .room(hall, .bob)])
        #expect(open.map(\.accused) == [nil, .bob])
        #expect(open.map(\.target.name) == ["room:hall", "room:hall:bob"])
    }

    @Test("F14.kept lists words in their order, one rule each, up to a bound", arguments: Engine.allCases)
    func rules(engine: Engine) async throws {
        let store = try TestStore(engine)
        let rule = { (word: String, action: WordRule.Action) in try #require(WordRule(word, action)) }
        for word in ["Darn", "坏话", "cat"] { #expect(try await store.ask(SetWordRule(rule(word, .mask)))) }
        #expect(try await store.ask(SetWordRule(rule("DARN", .refuse))))
        let expected = [try rule("cat", .mask), try rule("darn", .refuse), try rule("坏话", .mask)]
        #expect(try await store.ask(ListWordRules()) == expected)
        #expect(try await store.ask(RemoveWordRule("cat")))
        #expect(try await !store.ask(RemoveWordRule("cat")))
        for number in 2..<WordRules.maximumRules {
            #expect(try await store.ask(SetWordRule(rule("word \(number)", .flag))))
        }
        #expect(try await !store.ask(SetWordRule(rule("one more", .flag))))
        #expect(try await store.ask(SetWordRule(rule("word 2", .mask))), "a rule that is there is changed")
    }

    @Test("F14.flagged The server reports without being in the conversation", arguments: Engine.allCases)
    func flags(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        let draft = Draft(.text, MessageBody(proven: Array(#"{"text":"bad"}"#.utf8)))
        try await plaza.change(.post(draft), .bob)
        let speaker = try #require(UserID("parley:operator"))
        var report = SendReport(.message(plaza.id, 3), by: speaker, .other, "bad", at: Self.now)
        #expect(try await plaza.store.ask(report) == .failure(.notMember))
        report.isByServer = true
        #expect(try await plaza.store.ask(report) == .success(1))
        let found = try await plaza.store.ask(FindReport(1))
        #expect(found?.accused == .bob && found?.evidence == draft.body.json)
    }

    @Test("F12.bounded Reports have a bound: open reports of one user", arguments: Engine.allCases)
    func bound(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        for number in 0...SendReport.maximumOpen {
            let user = try #require(UserID("user-\(number)"))
            _ = try await plaza.store.ask(Introduction(user, displayName: nil, avatar: nil, at: Self.now))
            let answer = try await plaza.store.ask(SendReport(.user(user), by: .alice, .spam, nil, at: Self.now))
            #expect(
                number < SendReport.maximumOpen
                    ? answer == .success(Int64(number + 1)) : answer == .failure(.tooManyReports))
        }
    }
}
