package import Conversing
package import Vocabulary

/// Which conversation is meant.
package enum ConversationAddress: Hashable, Sendable {
    case id(ConversationID)
    /// The one with this user. When there is none yet it gets this name.
    case user(UserID, new: ConversationID)
}

/// A user asks for a change of a conversation. The same request said twice happens once: the second answer is the first
/// one's, and says so.
package struct ChangeRequest: StoreRequest {
    package let address: ConversationAddress
    package var change: ConversationChange
    package let actor: UserID
    /// The actor's own name for it. What has one happens once, however often it is asked for.
    package var client: MessageID?
    /// What to say again; the draft's own words do not count then.
    package var original: (conversation: ConversationID, number: UInt64)?
    /// What of the original's body stays behind.
    package var keptFields = KeptFields()
    /// An operator asks, who may do what moderators may.
    package var isByOperator = false
    /// A program on another server says it in the actor's name, whose place in the conversation is not asked.
    package var isPublished = false
    /// What it follows from (`TraceContext`).
    package var trace: String?
    /// Nil for what the server says by itself.
    package var approach: Approach?
    package let now: WallTime

    // Nothing but the disk can fail it.
    package static let access = StoreAccess.writesWithGroup
    package var asker: UserID? { self.actor }

    package init(
        _ address: ConversationAddress, _ change: ConversationChange, by actor: UserID, as client: MessageID? = nil,
        at now: WallTime
    ) {
        self.address = address
        self.change = change
        self.actor = actor
        self.client = client
        self.now = now
    }
}

extension ChangeRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<ChangeOutcome> {
        switch try self.resolved(tables) {
        case .failure(let refusal): try self.refused(refusal, tables)
        case .success(let change): try self.perform(change, tables)
        }
    }

    private func perform(
        _ change: ConversationChange, _ tables: some Tables
    ) throws(StoreError) -> Verdict<ChangeOutcome> {
        let record: ConversationRecord
        switch try self.record(tables) {
        case .success(let found): record = found
        case .failure(let refusal): return try self.refused(refusal, tables)
        }
        guard try !self.invitesUnknown(change, to: record, tables) else { return .failure(.unknownUser) }
        let target = try self.target(of: change, in: record.key, tables)
        let strangers = try self.strangers(change, in: record.machine.kind, tables)
        let action = try self.moderatorAction(change, about: target, tables)
        let proposal: ConversationMachine.Proposal
        switch try self.proposal(for: change, of: record, about: target, strangers, action != nil, tables) {
        case .success(let found): proposal = found
        case .failure(let refusal): return try self.refused(refusal, tables)
        }
        let files = try self.files(change, record.key, tables)
        guard try FileUse.canShow(files, self.actor, tables) else { return try self.refused(.noFile, tables) }
        let verdict = try Writing.write(
            proposal, change, as: self.client, trace: self.trace, into: record, tables)
        if let action, !self.isByOperator, case .success(let outcome) = verdict, !outcome.isRepeated {
            try action.note(by: self.actor, in: record.id, at: self.now, tables)
        }
        guard !strangers.isEmpty else { return verdict }
        return verdict.map { outcome in
            var outcome = outcome
            outcome.strangers = strangers.intersection(outcome.came)
            return outcome
        }
    }

    /// Nil for an actor without power over others wherever they are, too.
    private func moderatorAction(
        _ change: ConversationChange, about target: MessageState?, _ tables: some Tables
    ) throws(StoreError) -> ModeratorAction? {
        guard let action = ModeratorAction(change, by: self.actor, about: target) else { return nil }
        if self.isByOperator { return action }
        return try tables.isModerator(self.actor) ? action : nil
    }

    private func proposal(
        for change: ConversationChange, of record: ConversationRecord, about target: MessageState?,
        _ strangers: Set<UserID>, _ moderates: Bool, _ tables: some Tables
    ) throws(StoreError) -> Result<ConversationMachine.Proposal, ConversationRefusal> {
        let machine = record.machine
        if self.isPublished, case .post(let draft) = change {
            return Result { () throws(ConversationRefusal) in
                try machine.publication(draft, by: self.actor, at: self.now, about: target)
            }
        }
        if moderates {
            return Result { () throws(ConversationRefusal) in
                try machine.moderation(change, by: self.actor, at: self.now, about: target)
            }
        }
        let unwilling = try self.unwilling(change, in: machine.kind, strangers: strangers, tables)
        let former = try self.former(change, in: record.key, tables)
        return Result { () throws(ConversationRefusal) in
            try machine.proposal(
                for: change, by: self.actor, at: self.now, about: target, unwilling: unwilling, former: former)
        }
    }

    /// Puts the words of the message that is forwarded into the draft.
    private func resolved(_ tables: some Tables) throws(StoreError) -> Verdict<ConversationChange> {
        guard let original = self.original, case .post(let wanted) = self.change else {
            return .success(self.change)
        }
        guard let record = try Conversations.record(original.conversation, tables) else { return .failure(.notMember) }
        let entry = try tables.entry(EntryKey(record.key, original.number))
        return Result { () throws(ConversationRefusal) in
            let member = record.machine.members[self.actor]
            return .post(try Draft(forwarding: entry, seenBy: member, as: wanted, without: self.keptFields))
        }
    }

    private func target(
        of change: ConversationChange, in key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> MessageState? {
        guard let number = change.target, let entry = try tables.entry(EntryKey(key, number)) else { return nil }
        var state = MessageState(
            sender: entry.sender, time: entry.time, isMessage: entry.sort == .message, isRecalled: entry.isRecalled)
        if case .react(_, let reaction, true) = change {
            state.reactions = try Reactions.others(
                than: reaction, by: self.actor, under: EntryKey(key, number), tables)
        }
        if case .pin = change {
            state.isPinned = entry.pinned != nil
            state.pinned = try tables.pinnedCount(of: key)
        }
        return state
    }

    private func invitesUnknown(
        _ change: ConversationChange, to record: ConversationRecord, _ tables: some Tables
    ) throws(StoreError) -> Bool {
        guard self.approach != nil, case .invite(let users) = change, record.machine.kind.isByPeople,
            record.machine.members[self.actor] != nil
        else { return false }
        return try Acquaintance.hasUnknown(users, tables)
    }

    private func strangers(
        _ change: ConversationChange, in kind: ConversationKind, _ tables: some Tables
    ) throws(StoreError) -> Set<UserID> {
        guard self.approach != nil, case .invite(let users) = change, kind.isByPeople else { return [] }
        return try Acquaintance.strangers(to: self.actor, among: users, tables)
    }

    private func unwilling(
        _ change: ConversationChange, in kind: ConversationKind, strangers: Set<UserID>, _ tables: some Tables
    ) throws(StoreError) -> Set<UserID> {
        guard case .invite(let users) = change, kind.isByPeople else { return [] }
        return try Acquaintance.unwilling(self.actor, among: users, self.approach, strangers: strangers, tables)
    }

    /// What stayed of those who would come.
    private func former(
        _ change: ConversationChange, in key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> [UserID: FormerMember] {
        let users: [UserID]
        switch change {
        case .invite(let named): users = named
        case .join: users = [self.actor]
        case .post, .edit, .recall, .react, .pin, .leave, .remove, .rename, .setRole, .silence, .dissolve: return [:]
        }
        var former: [UserID: FormerMember] = [:]
        for user in users { former[user] = try tables.formerMember(user, of: key) }
        return former
    }

    /// The files that the message will show.
    private func files(
        _ change: ConversationChange, _ key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> [FileID] {
        switch change {
        case .post(let draft): draft.body.files(as: draft.kind)
        case .edit(let target, let body): body.files(as: try tables.entry(EntryKey(key, target))?.kind)
        case .recall, .react, .pin, .invite, .join, .leave, .remove, .rename, .setRole, .silence, .dissolve: []
        }
    }

    /// A user who asks again after being removed from a group still learns what became of their message.
    private func refused(
        _ refusal: ConversationRefusal, _ tables: some Tables
    ) throws(StoreError) -> Verdict<ChangeOutcome> {
        guard let client = self.client, let known = try Writing.known(client, of: self.actor, tables) else {
            return .failure(refusal)
        }
        return .success(known)
    }

    private func record(_ tables: some Tables) throws(StoreError) -> Verdict<ConversationRecord> {
        switch self.address {
        case .id(let id):
            guard let record = try Conversations.record(id, tables) else { return .failure(.unknown) }
            if case .join = self.change, self.approach != nil, record.machine.members[self.actor] == nil,
                try Acquaintance.isFull(self.actor, tables)
            {
                return .failure(.tooManyConversations)
            }
            return .success(record)
        case .user(let other, let id):
            let pair = UserPair(self.actor, other)
            if let known = try Conversations.direct(pair, tables) { return .success(known) }
            // Nothing is begun by what was refused, or said before elsewhere.
            guard case .post = self.change, try !self.isKnown(tables), try Conversations.record(id, tables) == nil
            else { return .failure(.unknown) }
            if let refusal = try self.refusal(toBeginWith: other, tables) { return .failure(refusal) }
            return .success(try Conversations.addDirect(pair, as: id, at: self.now, tables))
        }
    }

    private func refusal(toBeginWith other: UserID, _ tables: some Tables) throws(StoreError) -> ConversationRefusal? {
        guard let approach = self.approach else { return nil }
        if other != self.actor, try !Acquaintance.isKnown(other, tables) { return .unknownUser }
        guard approach.mayBegin else { return .tooSoon }
        return try Acquaintance.isFull(self.actor, tables) ? .tooManyConversations : nil
    }

    private func isKnown(_ tables: some Tables) throws(StoreError) -> Bool {
        guard let client = self.client else { return false }
        return try tables.entry(client, of: self.actor) != nil
    }
}
