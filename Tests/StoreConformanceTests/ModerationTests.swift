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
                try await self.store.ask(words)
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

    @Test("F12.bounded Reports have a bound: open reports of one user", arguments: Engine.allCases)
    func bound(engine: Engine) async throws {
        let plaza = try await Plaza(engine)
        for number in 0...SendReport.maximumOpen {
            let user = try #require(UserID("user-\(number)"))
            try await plaza.store.ask(Introduction(user, displayName: nil, avatar: nil, at: Self.now))
            let answer = try await plaza.store.ask(SendReport(.user(user), by: .alice, .spam, nil, at: Self.now))
            #expect(
                number < SendReport.maximumOpen
                    ? answer == .success(Int64(number + 1)) : answer == .failure(.tooManyReports))
        }
    }
}
