package import Vocabulary

/// One conversation: who is in it, what they may do, and which number the next entry has.
///
///     open ──entry──▶ open …  ──dissolved──▶ dissolved
///
/// It is asked for a `Proposal` first and told when that is safe, because what could not be kept has not happened:
///
///     proposal(for: change) ──written──▶ accepted(proposal)
///                └──already known, or not written──▶ nothing
package struct ConversationMachine: Sendable {
    package let kind: ConversationKind
    package let settings: ConversationSettings
    package private(set) var title: DisplayName?
    package private(set) var members: [UserID: Member]
    /// The number of the latest entry.
    package private(set) var last: UInt64
    /// How many of the entries are messages.
    package private(set) var counted: UInt64
    /// Of the latest entry: within a conversation time does not run backwards, even where the clock was set back. All else is
    /// decided by the clock as it is, so that one which ran ahead keeps nobody waiting for longer than it did.
    package private(set) var lastTime: WallTime
    package private(set) var isDissolved: Bool
    /// How long members wait after one message until they say the next; nil when they need not.
    package var slowMode: Duration?

    package init(
        _ kind: ConversationKind, title: DisplayName? = nil, members: [Member], last: UInt64 = 0, counted: UInt64 = 0,
        lastTime: WallTime = WallTime(milliseconds: 0), isDissolved: Bool = false,
        slowMode: Duration? = nil, settings: ConversationSettings
    ) {
        self.kind = kind
        self.title = title
        self.members = Dictionary(members.map { ($0.user, $0) }) { first, _ in first }
        self.last = last
        self.counted = counted
        self.lastTime = lastTime
        self.isDissolved = isDissolved
        self.slowMode = slowMode
        self.settings = settings
    }

    /// An entry that could come next, and what it would change.
    package struct Proposal: Hashable, Sendable {
        package var entry: Entry
        package let effect: Effect
    }

    package enum Effect: Hashable, Sendable {
        case none
        /// Who speaks has read what was said before.
        case spoke(Member)
        case came([Member])
        /// A member takes over when the only owner goes. What stays of who went is for the day they come back.
        case went(UserID, heir: Member? = nil, FormerMember? = nil)
        case changed(Member)
        case renamed(DisplayName)
        case dissolved
    }

    /// How many messages wait for a member. `recalled` of those after their mark were taken back again.
    package func unread(of member: Member, recalled: UInt64) -> UInt64 {
        Self.unread(counted: self.counted, readCounted: member.readCounted, recalled: recalled)
    }

    /// The same of a conversation with `counted` messages, for a member who has read `readCounted` of them.
    package static func unread(counted: UInt64, readCounted: UInt64, recalled: UInt64) -> UInt64 {
        let (passed, overflow) = readCounted.addingReportingOverflow(recalled)
        return overflow || passed >= counted ? 0 : counted - passed
    }
}

// MARK: - The beginning

extension ConversationMachine {
    /// Who is in a new group or room: its creator, and who was named and wants to be brought in by them.
    package static func founders(
        _ creator: UserID, with named: [UserID], unwilling: Set<UserID>, settings: ConversationSettings
    ) throws(ConversationRefusal) -> [Member] {
        let named = Set(named).subtracting([creator])
        let others = named.subtracting(unwilling)
        // A creator who wanted others would sit there alone.
        guard named.isEmpty || !others.isEmpty else { throw .blocked }
        guard others.count < settings.maximumMembers else { throw .full }
        return [Member(creator, role: .owner)] + others.map { Member($0) }
    }

    /// The two of a direct conversation, or the one who talks to themselves.
    package static func pair(_ pair: UserPair, lowBlocksHigh: Bool, highBlocksLow: Bool) -> [Member] {
        guard pair.low != pair.high else { return [Member(pair.low)] }
        return [Member(pair.low, blocksOther: lowBlocksHigh), Member(pair.high, blocksOther: highBlocksLow)]
    }
}

// MARK: - What happens

extension ConversationMachine {
    /// The first entry of a group or room, which names those who are in it from the start.
    package func creation(by creator: UserID, at now: WallTime) -> Proposal {
        let others = self.members.keys.filter { $0 != creator }.sorted { $0.text < $1.text }
        var entry = self.entry(.created, by: creator, at: now)
        entry.body = EntryBody.users([creator] + others, title: self.title)
        return Proposal(entry: entry, effect: .none)
    }

    /// What the conversation would gain. Nothing has changed yet.
    ///
    /// - Parameters:
    ///   - unwilling: those who do not want to be brought in by the actor.
    ///   - former: what stayed of those who would come.
    package func proposal(
        for change: ConversationChange, by actor: UserID, at now: WallTime, about target: MessageState? = nil,
        unwilling: Set<UserID> = [], former: [UserID: FormerMember] = [:]
    ) throws(ConversationRefusal) -> Proposal {
        if case .join = change { return try self.joining(actor, former[actor], at: now) }
        guard let member = self.members[actor] else { throw .notMember }
        guard !self.isDissolved else { throw .dissolved }
        guard self.last < ConversationKey.maximumEntry else { throw .full }
        switch change {
        case .post(let draft): return try self.post(draft, by: member, at: now, about: target)
        case .edit(let number, let body): return try self.edit(number, body, by: member, at: now, about: target)
        case .recall(let number): return try self.recall(number, by: member, at: now, about: target)
        case .react(let number, let reaction, let isOn):
            return try self.reaction(reaction, isOn: isOn, to: number, by: member, at: now, about: target)
        case .pin(let number, let isOn): return try self.pin(number, isOn: isOn, by: member, at: now, about: target)
        case .invite, .join, .leave, .remove, .rename, .setRole, .silence, .dissolve:
            return try self.membership(change, by: member, at: now, unwilling, former)
        }
    }

    /// What is left to say when a member's account is deleted: a direct conversation ends, others go on without them. Nil
    /// when it has ended before.
    package func departure(of user: UserID, at now: WallTime) -> Proposal? {
        guard let member = self.members[user], !self.isDissolved, self.last < ConversationKey.maximumEntry else {
            return nil
        }
        guard self.kind == .direct else { return self.leaving(member, at: now) }
        return self.proposal(.dissolved, by: member, at: now, nil, .dissolved)
    }

    /// The proposal was written down.
    package mutating func accepted(_ proposal: Proposal) {
        precondition(proposal.entry.number == self.last + 1, "entry \(proposal.entry.number) after \(self.last)")
        self.last = proposal.entry.number
        self.counted = proposal.entry.counted
        self.lastTime = proposal.entry.time
        switch proposal.effect {
        case .none: break
        case .spoke(let member), .changed(let member): self.members[member.user] = member
        case .came(let members): for member in members { self.members[member.user] = member }
        case .went(let user, let heir, _):
            self.members[user] = nil
            if let heir { self.members[heir.user] = heir }
        case .renamed(let title): self.title = title
        case .dissolved: self.isDissolved = true
        }
    }

    /// How a member's place looks when they have read up to `number`, up to which there were `counted` messages; nil
    /// when they had read as far before.
    package func reading(
        _ number: UInt64, counted: UInt64, by user: UserID
    ) throws(ConversationRefusal) -> Member? {
        guard var member = self.members[user] else { throw .notMember }
        guard number <= self.last else { throw .noMessage }
        guard number > member.read else { return nil }
        member.read = number
        member.readCounted = counted
        return member
    }

    /// The place of a user who got as far as `number` on one of their devices.
    package func member(_ user: UserID, reaching number: UInt64) throws(ConversationRefusal) -> Member {
        guard let member = self.members[user] else { throw .notMember }
        guard number <= self.last else { throw .noMessage }
        return member
    }

    /// How a member's place looks when the past is no longer theirs to see.
    package func clearing(by user: UserID) throws(ConversationRefusal) -> Member {
        guard var member = self.members[user] else { throw .notMember }
        member.since = self.last
        member.read = self.last
        member.readCounted = self.counted
        return member
    }

    /// Who leads a conversation says how long its messages stay; in a direct one both do.
    package func checkRetention(by user: UserID) throws(ConversationRefusal) {
        guard let member = self.members[user] else { throw .notMember }
        guard self.kind == .direct || member.role >= .admin else { throw .forbidden }
    }

    /// What is no part of the log was written down: how far a member has read, what they cleared, whom they block.
    package mutating func accepted(_ member: Member) {
        precondition(self.members[member.user] != nil, "\(member.user) is no member")
        self.members[member.user] = member
    }

    private func entry(
        _ sort: Entry.Sort, by sender: UserID, at now: WallTime, isCounted: Bool = true
    ) -> Entry {
        let counted = sort == .message && isCounted ? self.counted + 1 : self.counted
        return Entry(number: self.last + 1, counted: counted, sort: sort, sender: sender, time: max(now, self.lastTime))
    }
}

// MARK: - Messages

extension ConversationMachine {
    private func checkVoice(of member: Member, at now: WallTime) throws(ConversationRefusal) {
        if let until = member.silencedUntil, now < until { throw .silenced(until: until) }
        guard member.role >= self.kind.rules.speaks else { throw .forbidden }
        guard self.kind.rules.honoursBlocks else { return }
        let isBlocked = self.members.values.contains { $0.user != member.user && $0.blocksOther }
        guard !isBlocked else { throw .blocked }
    }

    /// Who leads need not wait; nor who spoke in a time that has not come yet, because the clock was set back.
    private func checkPace(of member: Member, at now: WallTime) throws(ConversationRefusal) {
        guard let slowMode = self.slowMode, member.role < .admin, let spokeAt = member.spokeAt,
            now < spokeAt + slowMode,
            spokeAt < now + slowMode
        else { return }
        throw .tooFast(retryAfter: .milliseconds((spokeAt + slowMode).milliseconds - now.milliseconds))
    }

    private func checkLength(of body: MessageBody) throws(ConversationRefusal) {
        guard body.json.count <= self.settings.maximumBodyBytes else { throw .tooLong }
    }

    private func post(
        _ draft: Draft, by member: Member, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        try self.checkVoice(of: member, at: now)
        try self.checkPace(of: member, at: now)
        try self.checkLength(of: draft.body)
        for user in draft.mentions { guard self.members[user] != nil else { throw .notMember } }
        return .init(spoken: try self.message(draft, by: member.user, at: now, about: target), by: member, at: now)
    }

    func message(
        _ draft: Draft, by sender: UserID, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Entry {
        if draft.reply != nil { guard target?.isMessage == true else { throw .noMessage } }
        var entry = self.entry(.message, by: sender, at: now, isCounted: draft.isCounted)
        entry.kind = draft.kind
        entry.body = draft.body.json
        entry.target = draft.reply
        entry.mentions = draft.mentions
        entry.isForwarded = draft.isForwarded
        return entry
    }

    private func edit(
        _ number: UInt64, _ body: MessageBody, by member: Member, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        try self.checkVoice(of: member, at: now)
        try self.checkLength(of: body)
        guard let target, target.isMessage else { throw .noMessage }
        guard target.sender == member.user else { throw .forbidden }
        guard !target.isRecalled else { throw .recalled }
        guard now <= target.time + self.settings.secondThoughts else { throw .tooLate }
        var entry = self.entry(.edited, by: member.user, at: now)
        entry.target = number
        entry.body = body.json
        return Proposal(entry: entry, effect: .none)
    }

    private func reaction(
        _ reaction: Reaction, isOn: Bool, to number: UInt64, by member: Member, at now: WallTime,
        about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        try self.checkVoice(of: member, at: now)
        guard let target, target.isMessage else { throw .noMessage }
        guard !target.isRecalled else { throw .recalled }
        if isOn {
            guard target.reactions.ofAll < self.settings.maximumReactions,
                target.reactions.ofActor < self.settings.maximumReactionsOfOne
            else { throw .tooManyReactions }
        }
        var entry = self.entry(.reacted, by: member.user, at: now)
        entry.target = number
        entry.body = EntryBody.reaction(reaction, isOn: isOn)
        return Proposal(entry: entry, effect: .none)
    }

    /// Between two people both pin; elsewhere those who lead.
    private func pin(
        _ number: UInt64, isOn: Bool, by member: Member, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        guard self.kind == .direct || member.role >= .admin else { throw .forbidden }
        guard let target, target.isMessage, number > member.since else { throw .noMessage }
        guard !target.isRecalled else { throw .recalled }
        guard target.isPinned != isOn else { throw .taken }
        guard !isOn || target.pinned < self.settings.maximumPins else { throw .tooManyPins }
        var entry = self.entry(isOn ? .pinned : .unpinned, by: member.user, at: now)
        entry.target = number
        return Proposal(entry: entry, effect: .none)
    }

    private func recall(
        _ number: UInt64, by member: Member, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        guard let target, target.isMessage else { throw .noMessage }
        if target.sender == member.user {
            guard now <= target.time + self.settings.secondThoughts else { throw .tooLate }
        } else {
            guard member.role >= self.kind.rules.recallsOthers else { throw .forbidden }
        }
        guard !target.isRecalled else { throw .recalled }
        return self.recalling(number, by: member.user, at: now)
    }

    private func recalling(_ number: UInt64, by user: UserID, at now: WallTime) -> Proposal {
        var entry = self.entry(.recalled, by: user, at: now)
        entry.target = number
        return Proposal(entry: entry, effect: .none)
    }
}

// MARK: - Members

extension ConversationMachine {
    private func membership(
        _ change: ConversationChange, by member: Member, at now: WallTime, _ unwilling: Set<UserID>,
        _ former: [UserID: FormerMember]
    ) throws(ConversationRefusal) -> Proposal {
        switch self.kind.rules.membership {
        case .byMembers, .open: break
        case .byOwner: try self.check(member, .owner)
        case .fixed: throw .forbidden
        }
        switch change {
        case .invite(let users): return try self.invite(users, by: member, at: now, except: unwilling, former)
        case .leave: return self.leaving(member, at: now)
        case .remove(let user, let until, _):
            let other = try self.check(member, outranks: user)
            let former = FormerMember(
                other, wasRemoved: true, removedUntil: until, slowMode: self.slowMode, at: now)
            let body = EntryBody.user(user, until: until)
            return self.proposal(.removed, by: member, at: now, body, .went(user, heir: nil, former))
        case .rename(let title):
            try self.check(member, .admin)
            return self.proposal(.renamed, by: member, at: now, EntryBody.title(title), .renamed(title))
        case .setRole(let user, let role):
            try self.check(member, .owner)
            return try self.roleChange(of: user, to: role, by: member, at: now)
        case .silence(let user, let until, _):
            var silenced = try self.check(member, outranks: user)
            silenced.silencedUntil = until
            let body = EntryBody.user(user, until: until)
            return self.proposal(.silenced, by: member, at: now, body, .changed(silenced))
        case .dissolve:
            try self.check(member, .owner)
            return self.proposal(.dissolved, by: member, at: now, nil, .dissolved)
        case .post, .edit, .recall, .react, .pin, .join:
            preconditionFailure("\(change) is nothing that members do to members")
        }
    }

    private func proposal(
        _ sort: Entry.Sort, by member: Member, at now: WallTime, _ body: [UInt8]?, _ effect: Effect
    ) -> Proposal {
        var entry = self.entry(sort, by: member.user, at: now)
        entry.body = body
        return Proposal(entry: entry, effect: effect)
    }

    private func check(_ member: Member, _ role: Role) throws(ConversationRefusal) {
        guard member.role >= role else { throw .forbidden }
    }

    private func check(_ member: Member, outranks user: UserID) throws(ConversationRefusal) -> Member {
        guard let other = self.members[user] else { throw .notMember }
        guard member.role >= .admin, member.role > other.role else { throw .forbidden }
        return other
    }

    private func joining(
        _ user: UserID, _ former: FormerMember?, at now: WallTime
    ) throws(ConversationRefusal) -> Proposal {
        guard self.kind.rules.membership == .open || self.members[user] != nil else { throw .forbidden }
        guard !self.isDissolved else { throw .dissolved }
        guard self.members[user] == nil else { throw .taken }
        guard former?.isRemoved(at: now) != true else { throw .removed }
        guard self.members.count < self.settings.maximumMembers, self.last < ConversationKey.maximumEntry else {
            throw .full
        }
        var entry = self.entry(.joined, by: user, at: now)
        entry.body = EntryBody.users([user])
        return Proposal(entry: entry, effect: .came([self.newcomer(user, former)]))
    }

    private func invite(
        _ users: [UserID], by member: Member, at now: WallTime, except unwilling: Set<UserID>,
        _ former: [UserID: FormerMember]
    ) throws(ConversationRefusal) -> Proposal {
        let strangers = Set(users).filter { self.members[$0] == nil }
        guard !strangers.isEmpty else { throw .taken }
        // Who was sent away by those who lead is brought back by none of the others.
        let welcome = member.role >= .admin ? strangers : strangers.filter { former[$0]?.isRemoved(at: now) != true }
        guard !welcome.isEmpty else { throw .forbidden }
        let fresh = welcome.subtracting(unwilling).sorted { $0.text < $1.text }
        guard !fresh.isEmpty else { throw .blocked }
        guard self.members.count + fresh.count <= self.settings.maximumMembers else { throw .full }
        let body = EntryBody.users(fresh)
        return self.proposal(.joined, by: member, at: now, body, .came(fresh.map { self.newcomer($0, former[$0]) }))
    }

    /// What was said in a group before they came is not theirs to see; a room is open, so its past is too.
    private func newcomer(_ user: UserID, _ former: FormerMember?) -> Member {
        let isOpen = self.kind.rules.membership == .open
        // Everything up to now counts as read, their own coming included, which is no message.
        return Member(
            user, since: isOpen ? 0 : self.last, read: self.last, readCounted: self.counted,
            silencedUntil: former?.silencedUntil, spokeAt: former?.spokeAt)
    }

    /// The last one may switch off the light; before that one member always holds the key.
    private func leaving(_ member: Member, at now: WallTime) -> Proposal {
        if self.members.count == 1, self.kind.rules.membership != .open {
            return self.proposal(.dissolved, by: member, at: now, nil, .dissolved)
        }
        let heir = self.heir(of: member)
        let body = heir.map { EntryBody.user($0.user, role: $0.role) }
        let former = FormerMember(member, wasRemoved: false, slowMode: self.slowMode, at: now)
        return self.proposal(.left, by: member, at: now, body, .went(member.user, heir: heir, former))
    }

    private func heir(of member: Member) -> Member? {
        guard member.role == .owner else { return nil }
        let others = self.members.values.filter { $0.user != member.user }
        guard !others.contains(where: { $0.role == .owner }) else { return nil }
        var heir = others.max { ($0.role, $1.user.text) < ($1.role, $0.user.text) }
        heir?.role = .owner
        return heir
    }

    private func roleChange(
        of user: UserID, to role: Role, by owner: Member, at now: WallTime
    ) throws(ConversationRefusal) -> Proposal {
        guard var member = self.members[user] else { throw .notMember }
        guard user != owner.user else { throw .forbidden }
        member.role = role
        let body = EntryBody.user(user, role: role)
        return self.proposal(.role, by: owner, at: now, body, .changed(member))
    }
}

// MARK: - Moderators of the server

extension ConversationMachine {
    /// What a moderator may do in every group and room, whoever leads it, without being a member: send away, silence, and
    /// take back what was said; the last one also between two people.
    package func moderation(
        _ change: ConversationChange, by moderator: UserID, at now: WallTime, about target: MessageState?
    ) throws(ConversationRefusal) -> Proposal {
        guard self.last < ConversationKey.maximumEntry else { throw .full }
        let actor = self.members[moderator] ?? Member(moderator)
        switch change {
        case .recall(let number):
            guard let target, target.isMessage else { throw .noMessage }
            guard !target.isRecalled else { throw .recalled }
            return self.recalling(number, by: moderator, at: now)
        case .remove(let user, let until, _):
            let other = try self.moderated(user)
            let former = FormerMember(
                other, wasRemoved: true, removedUntil: until, slowMode: self.slowMode, at: now)
            let effect = Effect.went(user, heir: self.heir(of: other), former)
            return self.proposal(.removed, by: actor, at: now, EntryBody.user(user, until: until), effect)
        case .silence(let user, let until, _):
            var silenced = try self.moderated(user)
            silenced.silencedUntil = until
            let body = EntryBody.user(user, until: until)
            return self.proposal(.silenced, by: actor, at: now, body, .changed(silenced))
        case .post, .edit, .react, .pin, .invite, .join, .leave, .rename, .setRole, .dissolve: throw .forbidden
        }
    }

    private func moderated(_ user: UserID) throws(ConversationRefusal) -> Member {
        guard self.kind.isByPeople else { throw .forbidden }
        guard !self.isDissolved else { throw .dissolved }
        guard let member = self.members[user] else { throw .notMember }
        return member
    }
}
