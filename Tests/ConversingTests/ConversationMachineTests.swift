import Conversing
import Testing
import Vocabulary

@Suite("A conversation")
struct ConversationMachineTests {
    @Test("gives every entry the next number, and counts messages apart")
    func numbers() throws {
        var group = Scene(.group, [.alice, .bob])
        try group.say("one", by: .alice)
        try group.happens(.react(1, Scene.thumb, isOn: true), by: .bob, about: group.message(by: .alice))
        try group.say("two", by: .bob)
        #expect(group.log.map(\.number) == [1, 2, 3])
        #expect(group.log.map(\.counted) == [1, 1, 2])
        #expect(group.log.map(\.sort) == [.message, .reacted, .message])
    }

    @Test("changes nothing until what was proposed is written down")
    func proposals() throws {
        let group = Scene(.group, [.alice, .bob])
        let first = try group.machine.proposal(for: .leave, by: .alice, at: Scene.now)
        #expect(try group.machine.proposal(for: .leave, by: .alice, at: Scene.now) == first)
        #expect(group.machine.members.count == 2 && group.machine.last == 0)
    }

    @Test("E02.count counts what others said after somebody's mark, and less what was taken back")
    func unread() throws {
        var group = Scene(.group, [.alice, .bob])
        for word in ["one", "two", "three"] { try group.say(word, by: .alice) }
        #expect(try group.unread(.bob) == 3)
        #expect(try group.unread(.bob, recalled: 1) == 2)
        try group.read(2, counted: 2, by: .bob)
        #expect(try group.unread(.bob) == 1)
        try group.say("four", by: .bob)
        #expect(try group.unread(.bob) == 0)
        #expect(try group.unread(.alice) == 1)
    }

    @Test("E03 never moves a mark back")
    func marks() throws {
        var group = Scene(.group, [.alice, .bob])
        for word in ["one", "two"] { try group.say(word, by: .alice) }
        try group.read(2, counted: 2, by: .bob)
        #expect(try group.machine.reading(1, counted: 1, by: .bob) == nil)
        #expect(throws: ConversationRefusal.noMessage) { try group.machine.reading(3, counted: 3, by: .bob) }
        #expect(throws: ConversationRefusal.notMember) { try group.machine.reading(1, counted: 1, by: .carol) }
    }

    @Test("lets only members speak")
    func strangers() throws {
        let group = Scene(.group, [.alice, .bob])
        for change in [ConversationChange.post(Scene.draft("x")), .leave, .recall(1), .dissolve] {
            #expect(throws: ConversationRefusal.notMember) {
                try group.machine.proposal(for: change, by: .carol, at: Scene.now)
            }
        }
        #expect(throws: ConversationRefusal.forbidden) {
            try group.machine.proposal(for: .join, by: .carol, at: Scene.now)
        }
    }

    @Test("D23 carries nothing to somebody who blocks the sender")
    func blocking() throws {
        let direct = ConversationMachine(
            .direct, members: [Member(.alice), Member(.bob, blocksOther: true)], settings: ConversationSettings())
        #expect(throws: ConversationRefusal.blocked) {
            try direct.proposal(for: .post(Scene.draft("x")), by: .alice, at: Scene.now)
        }
        _ = try direct.proposal(for: .post(Scene.draft("x")), by: .bob, at: Scene.now)
    }

    @Test("D23 is not where somebody is brought by whom they block")
    func unwilling() throws {
        let group = Scene(.group, [.alice])
        func came(_ users: [UserID]) throws -> ConversationMachine.Effect {
            try group.machine.proposal(for: .invite(users), by: .alice, at: Scene.now, unwilling: [.bob]).effect
        }
        guard case .came(let members) = try came([.bob, .carol]) else { return #expect(Bool(false)) }
        #expect(members.map(\.user) == [.carol])
        #expect(throws: ConversationRefusal.blocked) { try came([.bob]) }
        #expect(throws: ConversationRefusal.taken) { try came([.alice]) }
    }

    @Test("takes no more words than a message may have, neither at first nor later")
    func length() throws {
        var group = Scene(.group, [.alice, .bob])
        let most = group.machine.settings.maximumBodyBytes
        func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes - #"{"text":""}"#.utf8.count) }
        let message = try group.say(text(most), by: .alice)
        try group.happens(.edit(1, Scene.draft(text(most)).body), by: .alice, about: message)
        let tooLong = Scene.draft(text(most + 1))
        for change in [ConversationChange.post(tooLong), .edit(1, tooLong.body)] {
            #expect(throws: ConversationRefusal.tooLong) {
                try group.machine.proposal(for: change, by: .alice, at: Scene.now, about: message)
            }
        }
    }

    @Test("has room for so many different reactions under a message, and for fewer of one person")
    func reactions() throws {
        var group = Scene(.group, [.alice, .bob])
        var message = try group.say("x", by: .alice)
        let settings = group.machine.settings
        message.reactions = OtherReactions(
            ofAll: settings.maximumReactions - 1, ofActor: settings.maximumReactionsOfOne - 1)
        try group.happens(.react(1, Scene.thumb, isOn: true), by: .bob, about: message)
        for others in [
            OtherReactions(ofAll: settings.maximumReactions),
            OtherReactions(ofAll: 20, ofActor: settings.maximumReactionsOfOne),
        ] {
            message.reactions = others
            #expect(throws: ConversationRefusal.tooManyReactions) {
                try group.happens(.react(1, Scene.thumb, isOn: true), by: .bob, about: message)
            }
            try group.happens(.react(1, Scene.thumb, isOn: false), by: .bob, about: message)
        }
    }

    @Test("D17 lets a message be taken back by its sender for a while, and by who leads the group")
    func recalling() throws {
        var group = Scene(.group, [.alice, .bob, .carol])
        let message = try group.say("oops", by: .bob)
        let late = Scene.now + .seconds(24 * 3600 + 1)
        #expect(throws: ConversationRefusal.forbidden) {
            try group.machine.proposal(for: .recall(1), by: .carol, at: Scene.now, about: message)
        }
        #expect(throws: ConversationRefusal.tooLate) {
            try group.machine.proposal(for: .recall(1), by: .bob, at: late, about: message)
        }
        #expect(throws: ConversationRefusal.noMessage) {
            try group.machine.proposal(for: .recall(9), by: .bob, at: Scene.now, about: nil)
        }
        _ = try group.machine.proposal(for: .recall(1), by: .alice, at: late, about: message)
        let gone = MessageState(sender: .bob, time: Scene.now, isMessage: true, isRecalled: true)
        for change in [
            ConversationChange.recall(1), .edit(1, Scene.draft("y").body), .react(1, Scene.thumb, isOn: true),
        ] {
            #expect(throws: ConversationRefusal.recalled) {
                try group.machine.proposal(for: change, by: .bob, at: Scene.now, about: gone)
            }
        }
    }

    @Test("lets nobody but its sender change a message")
    func editing() throws {
        var group = Scene(.group, [.alice, .bob])
        let message = try group.say("helo", by: .bob)
        #expect(throws: ConversationRefusal.forbidden) {
            try group.machine.proposal(for: .edit(1, Scene.draft("y").body), by: .alice, at: Scene.now, about: message)
        }
        let proposal = try group.machine.proposal(
            for: .edit(1, Scene.draft("hello").body), by: .bob, at: Scene.now, about: message)
        #expect(proposal.entry.target == 1 && proposal.entry.counted == 1)
    }

    @Test("F06.mentions mentions nobody who is not there")
    func mentions() throws {
        let group = Scene(.group, [.alice, .bob])
        var draft = Scene.draft("hey")
        draft.mentions = [.bob]
        #expect(try group.machine.proposal(for: .post(draft), by: .alice, at: Scene.now).entry.mentions == [.bob])
        draft.mentions = [.carol]
        #expect(throws: ConversationRefusal.notMember) {
            try group.machine.proposal(for: .post(draft), by: .alice, at: Scene.now)
        }
    }

    @Test("F01 shows newcomers of a group what is said from then on, and those of a room everything")
    func newcomers() throws {
        for (kind, since) in [(ConversationKind.group, UInt64(1)), (.room, 0)] {
            var scene = Scene(kind, [.alice])
            try scene.say("before", by: .alice)
            try scene.happens(kind == .room ? .join : .invite([.bob]), by: kind == .room ? .bob : .alice)
            let member = try #require(scene.machine.members[.bob])
            #expect(member.since == since && member.read == 1)
            #expect(try scene.unread(.bob) == 0)
        }
    }

    @Test("listens to roles: who outranks sends out and silences")
    func roles() throws {
        var group = Scene(.group, [.alice, .bob, .carol])
        try group.happens(.setRole(.bob, .admin), by: .alice)
        #expect(throws: ConversationRefusal.forbidden) {
            try group.machine.proposal(for: .remove(.alice), by: .bob, at: Scene.now)
        }
        #expect(throws: ConversationRefusal.forbidden) {
            try group.machine.proposal(for: .remove(.bob), by: .carol, at: Scene.now)
        }
        let until = Scene.now + .seconds(60)
        try group.happens(.silence(.carol, until: until), by: .bob)
        #expect(throws: ConversationRefusal.silenced(until: until)) {
            try group.machine.proposal(for: .post(Scene.draft("x")), by: .carol, at: Scene.now)
        }
        _ = try group.machine.proposal(for: .post(Scene.draft("x")), by: .carol, at: until)
        try group.happens(.remove(.carol), by: .bob)
        #expect(group.machine.members[.carol] == nil)
    }

    @Test("M7 lets nobody it sent away come back before who leads invites them")
    func removed() throws {
        var room = Scene(.room, [.alice, .bob, .carol])
        try room.happens(.silence(.carol, until: Scene.now + .seconds(60)), by: .alice)
        try room.happens(.remove(.carol), by: .alice)
        #expect(throws: ConversationRefusal.removed) { try room.happens(.join, by: .carol) }
        #expect(throws: ConversationRefusal.forbidden) { try room.happens(.invite([.carol]), by: .bob) }
        try room.happens(.invite([.carol, .dave]), by: .bob)
        #expect(room.machine.members[.carol] == nil && room.machine.members[.dave] != nil)
        try room.happens(.invite([.carol]), by: .alice)
        #expect(room.machine.members[.carol]?.silencedUntil == Scene.now + .seconds(60))
        try room.happens(.leave, by: .carol)
        try room.happens(.join, by: .carol)
    }

    @Test("F16.ends lets who was sent away for a time come back when it is over")
    func removedForATime() throws {
        let until = Scene.now + .seconds(60)
        var room = Scene(.room, [.alice, .bob, .carol])
        let removal = try room.machine.proposal(for: .remove(.carol, until: until), by: .alice, at: Scene.now)
        let expected = FormerMember(wasRemoved: true, removedUntil: until, silencedUntil: nil)
        #expect(removal.effect == .went(.carol, heir: nil, expected))
        #expect(removal.entry.body == Array(#"{"user":"carol","until":\#(until.milliseconds)}"#.utf8))
        room.machine.accepted(removal)
        let (machine, former) = (room.machine, [UserID.carol: expected])
        let join = { (seconds: Int) in
            try machine.proposal(for: .join, by: .carol, at: Scene.now + .seconds(seconds), former: former)
        }
        #expect(throws: ConversationRefusal.removed) { try join(59) }
        #expect(throws: ConversationRefusal.forbidden) {
            try machine.proposal(for: .invite([.carol]), by: .bob, at: Scene.now, former: former)
        }
        _ = try join(60)
    }

    @Test("F15.wait makes members wait between two messages, and nobody who leads")
    func slowMode() throws {
        var room = Scene(.room, [.alice, .bob])
        room.machine.slowMode = .seconds(10)
        for _ in 0..<2 { try room.happens(.post(Scene.draft("x")), by: .alice) }
        try room.happens(.post(Scene.draft("x")), by: .bob)
        let spoke = room.machine.lastTime
        for milliseconds in [0, 1, 9_999] {
            #expect(throws: ConversationRefusal.tooFast(retryAfter: .milliseconds(10_000 - milliseconds))) {
                try room.machine.proposal(
                    for: .post(Scene.draft("x")), by: .bob, at: spoke + .milliseconds(milliseconds))
            }
        }
        _ = try room.machine.proposal(for: .post(Scene.draft("x")), by: .bob, at: spoke + .seconds(10))
        // Going and coming back is no way around.
        let leaving = try room.machine.proposal(for: .leave, by: .bob, at: spoke + .seconds(1))
        let former = FormerMember(wasRemoved: false, silencedUntil: nil, spokeAt: spoke)
        #expect(leaving.effect == .went(.bob, heir: nil, former))
        room.machine.accepted(leaving)
        let joining = try room.machine.proposal(
            for: .join, by: .bob, at: spoke + .seconds(1), former: [.bob: former])
        room.machine.accepted(joining)
        #expect(throws: ConversationRefusal.tooFast(retryAfter: .seconds(9))) {
            try room.machine.proposal(for: .post(Scene.draft("x")), by: .bob, at: spoke + .seconds(1))
        }
    }

    @Test("M7 keeps somebody silent who leaves and comes back, until it is over", arguments: [59, 60])
    func silence(seconds: Int) throws {
        let until = Scene.now + .seconds(60)
        var room = Scene(.room, [.alice, .bob])
        try room.happens(.silence(.bob, until: until), by: .alice)
        let later = Scene.now + .seconds(seconds)
        let leaving = try room.machine.proposal(for: .leave, by: .bob, at: later)
        let expected = seconds < 60 ? FormerMember(wasRemoved: false, silencedUntil: until) : nil
        #expect(leaving.effect == .went(.bob, heir: nil, expected))
        room.machine.accepted(leaving)
        let former = expected.map { [UserID.bob: $0] } ?? [:]
        room.machine.accepted(try room.machine.proposal(for: .join, by: .bob, at: later, former: former))
        #expect(room.machine.members[.bob]?.silencedUntil == expected?.silencedUntil)
    }

    @Test("always has an owner until its light goes out")
    func heirs() throws {
        var group = Scene(.group, [.alice, .bob, .carol])
        try group.happens(.setRole(.carol, .admin), by: .alice)
        try group.happens(.leave, by: .alice)
        #expect(group.machine.members[.carol]?.role == .owner)
        try group.happens(.leave, by: .carol)
        #expect(group.machine.members[.bob]?.role == .owner)
        try group.happens(.leave, by: .bob)
        #expect(group.machine.isDissolved)
        #expect(throws: ConversationRefusal.dissolved) {
            try group.machine.proposal(for: .post(Scene.draft("x")), by: .bob, at: Scene.now)
        }
    }

    @Test("between two has no roles to give and nobody to send out")
    func directs() throws {
        let direct = ConversationMachine(
            .direct, members: [Member(.alice), Member(.bob)], settings: ConversationSettings())
        for change in [ConversationChange.leave, .invite([.carol]), .remove(.bob), .dissolve] {
            #expect(throws: ConversationRefusal.forbidden) {
                try direct.proposal(for: change, by: .alice, at: Scene.now)
            }
        }
    }

    @Test("bound to something outside lets only the server say who is in it, and nobody take back what others said")
    func bound() throws {
        let members = [Member(.alice, role: .owner), Member(.bob, role: .admin), Member(.carol)]
        let ticket = ConversationMachine(
            .bound(to: "ticket"), members: members, last: 1, counted: 1, settings: ConversationSettings())
        for change in [
            ConversationChange.leave, .invite([.dave]), .remove(.carol), .silence(.carol, until: nil),
            .setRole(.carol, .admin), .dissolve,
        ] {
            for user in [UserID.bob, .carol] {
                #expect(throws: ConversationRefusal.forbidden) {
                    try ticket.proposal(for: change, by: user, at: Scene.now)
                }
            }
        }
        let said = MessageState(sender: .carol, time: Scene.now, isMessage: true, isRecalled: false)
        #expect(throws: ConversationRefusal.forbidden) {
            try ticket.proposal(for: .recall(1), by: .bob, at: Scene.now, about: said)
        }
        _ = try ticket.proposal(for: .recall(1), by: .carol, at: Scene.now, about: said)
        _ = try ticket.proposal(for: .remove(.carol), by: .alice, at: Scene.now)
    }

    @Test("of the server's own is for reading")
    func system() throws {
        let system = ConversationMachine(
            .system, members: [Member(.alice), Member(.bob, role: .owner)], settings: ConversationSettings())
        #expect(throws: ConversationRefusal.forbidden) {
            try system.proposal(for: .post(Scene.draft("x")), by: .alice, at: Scene.now)
        }
        _ = try system.proposal(for: .post(Scene.draft("x")), by: .bob, at: Scene.now)
    }
}

@Suite("The rules of a conversation beside its log")
struct ConversationRuleTests {
    private func refusal<Value>(_ body: () throws(ConversationRefusal) -> Value) -> ConversationRefusal? {
        do throws(ConversationRefusal) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("A new group has its creator as owner and those who are willing, up to the limit")
    func founders() throws {
        var settings = ConversationSettings()
        settings.maximumMembers = 2
        let founders = { (named: [UserID], unwilling: Set<UserID>) throws(ConversationRefusal) in
            try ConversationMachine.founders(.alice, with: named, unwilling: unwilling, settings: settings)
        }
        #expect(try founders([.alice, .bob], []) == [Member(.alice, role: .owner), Member(.bob)])
        #expect(try founders([.carol, .bob], [.carol]) == [Member(.alice, role: .owner), Member(.bob)])
        #expect(try founders([], []) == [Member(.alice, role: .owner)])
        #expect(self.refusal { () throws(ConversationRefusal) in try founders([.bob], [.bob]) } == .blocked)
        #expect(self.refusal { () throws(ConversationRefusal) in try founders([.bob, .carol], []) } == .full)
    }

    @Test("The time of a conversation's entries does not run backwards")
    func time() throws {
        let later = Scene.now + .seconds(60)
        let machine = ConversationMachine(
            .group, members: [Member(.alice)], last: 1, counted: 1, lastTime: later, settings: ConversationSettings())
        let post = ConversationChange.post(Scene.draft("x"))
        #expect(try machine.proposal(for: post, by: .alice, at: Scene.now).entry.time == later)
        #expect(try machine.proposal(for: post, by: .alice, at: later + .seconds(1)).entry.time == later + .seconds(1))
    }

    @Test("A conversation whose numbers are used up takes no entry")
    func numbers() throws {
        let machine = ConversationMachine(
            .room, members: [Member(.alice)], last: ConversationKey.maximumEntry, counted: 1,
            settings: ConversationSettings())
        #expect(throws: ConversationRefusal.full) {
            try machine.proposal(for: .post(Scene.draft("x")), by: .alice, at: Scene.now)
        }
        #expect(throws: ConversationRefusal.full) { try machine.proposal(for: .join, by: .bob, at: Scene.now) }
    }

    @Test("Retention is set by those who lead a group, and by both in a direct conversation")
    func retention() throws {
        let group = Scene(.group, [.alice, .bob]).machine
        try group.checkRetention(by: .alice)
        #expect(throws: ConversationRefusal.forbidden) { try group.checkRetention(by: .bob) }
        #expect(throws: ConversationRefusal.notMember) { try group.checkRetention(by: .carol) }
        let direct = ConversationMachine(
            .direct, members: [Member(.alice), Member(.bob)], settings: ConversationSettings())
        for user in [UserID.alice, .bob] { try direct.checkRetention(by: user) }
    }

    @Test("Clearing history moves a member's place to the end of the conversation")
    func clearing() throws {
        var group = Scene(.group, [.alice, .bob])
        try group.say("x", by: .alice)
        let member = try group.machine.clearing(by: .bob)
        #expect(member.since == 1 && member.read == 1 && member.readCounted == 1)
        #expect(throws: ConversationRefusal.notMember) { try group.machine.clearing(by: .carol) }
        #expect(throws: ConversationRefusal.noMessage) { try group.machine.member(.bob, reaching: 2) }
    }

    @Test("A message is forwarded by those who can see it, and not when it was recalled")
    func forwarding() throws {
        var entry = Entry(number: 3, counted: 3, sort: .message, sender: .alice, time: Scene.now)
        entry.kind = .text
        entry.body = Scene.draft("x").body.json
        let wanted = Scene.draft("unused")
        let draft = { (entry: Entry?, member: Member?) throws(ConversationRefusal) in
            try Draft(forwarding: entry, seenBy: member, as: wanted, without: KeptFields())
        }
        let forwarded = try draft(entry, Member(.bob))
        #expect(forwarded.body.json == entry.body && forwarded.isForwarded)
        #expect(self.refusal { () throws(ConversationRefusal) in try draft(entry, nil) } == .notMember)
        #expect(self.refusal { () throws(ConversationRefusal) in try draft(nil, Member(.bob)) } == .noMessage)
        let late = Member(.bob, since: 3)
        #expect(self.refusal { () throws(ConversationRefusal) in try draft(entry, late) } == .noMessage)
        entry.isRecalled = true
        #expect(self.refusal { () throws(ConversationRefusal) in try draft(entry, Member(.bob)) } == .recalled)
    }

    @Test("The key of an entry survives being packed into one number")
    func keys() {
        for (conversation, number): (Int64, UInt64) in [(0, 0), (1, 1), (7, 0xFFFF_FFFF), (1 << 30, 12)] {
            let key = EntryKey(ConversationKey(conversation), number)
            #expect(EntryKey(packed: key.packed) == key)
        }
        #expect(EntryKey(ConversationKey(2), 5).packed == 2 << 32 + 5)
    }
}

/// A conversation in which everything that is proposed is written down at once.
private struct Scene {
    static let now = WallTime(seconds: 1_700_000_000)
    static let thumb = Reaction("👍") ?? { preconditionFailure("no reaction") }()

    var machine: ConversationMachine
    private(set) var log: [Entry] = []
    private var former: [UserID: FormerMember] = [:]

    init(_ kind: ConversationKind, _ users: [UserID]) {
        let members = users.enumerated().map { Member($1, role: $0 == 0 ? .owner : .member) }
        self.machine = ConversationMachine(kind, members: members, settings: ConversationSettings())
    }

    static func draft(_ text: String) -> Draft {
        Draft(.text, MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8)))
    }

    func message(by user: UserID) -> MessageState {
        MessageState(sender: user, time: Self.now, isMessage: true, isRecalled: false)
    }

    mutating func happens(
        _ change: ConversationChange, by user: UserID, about target: MessageState? = nil
    ) throws {
        let proposal = try self.machine.proposal(
            for: change, by: user, at: Self.now, about: target, former: self.former)
        self.machine.accepted(proposal)
        switch proposal.effect {
        case .went(let user, _, let former): self.former[user] = former
        case .came(let members): for member in members { self.former[member.user] = nil }
        case .none, .spoke, .changed, .renamed, .dissolved: break
        }
        self.log.append(proposal.entry)
    }

    @discardableResult
    mutating func say(_ text: String, by user: UserID) throws -> MessageState {
        try self.happens(.post(Self.draft(text)), by: user)
        return self.message(by: user)
    }

    mutating func read(_ number: UInt64, counted: UInt64, by user: UserID) throws {
        let member = try #require(try self.machine.reading(number, counted: counted, by: user))
        self.machine.accepted(member)
    }

    func unread(_ user: UserID, recalled: UInt64 = 0) throws -> UInt64 {
        self.machine.unread(of: try #require(self.machine.members[user]), recalled: recalled)
    }
}

extension UserID {
    fileprivate static let alice = Self.named("alice")
    fileprivate static let bob = Self.named("bob")
    fileprivate static let carol = Self.named("carol")
    fileprivate static let dave = Self.named("dave")

    private static func named(_ text: String) -> UserID { UserID(text) ?? { preconditionFailure("no user id") }() }
}
