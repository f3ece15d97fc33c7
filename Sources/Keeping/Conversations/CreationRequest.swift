package import Conversing
package import Vocabulary

/// A group, a room or another conversation that does not begin with its first message.
package struct CreationRequest: StoreRequest {
    package let id: ConversationID
    package let kind: ConversationKind
    package var title: DisplayName?
    package var subject: String?
    package let creator: UserID
    package var members: [UserID]
    package var client: MessageID?
    /// Nil for what the server begins by itself.
    package var approach: Approach?
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.creator }

    package init(
        _ id: ConversationID, _ kind: ConversationKind, title: DisplayName? = nil, by creator: UserID,
        with members: [UserID] = [], as client: MessageID? = nil, at now: WallTime
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.creator = creator
        self.members = members
        self.client = client
        self.now = now
    }
}

extension CreationRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<ChangeOutcome> {
        if let client = self.client, let known = try Writing.known(client, of: self.creator, tables) {
            return .success(known)
        }
        guard try Conversations.record(self.id, tables) == nil else { return .failure(.taken) }
        if let subject = self.subject, try tables.isSubject(subject) { return .failure(.taken) }
        if let approach = self.approach {
            guard approach.mayBegin else { return .failure(.tooSoon) }
            let others = self.members.filter { $0 != self.creator }
            if self.kind.isByPeople, try Acquaintance.hasUnknown(others, tables) { return .failure(.unknownUser) }
            guard try !Acquaintance.isFull(self.creator, tables) else { return .failure(.tooManyConversations) }
        }
        let strangers = try self.strangers(tables)
        let unwilling =
            self.kind.isByPeople
            ? try Acquaintance.unwilling(
                self.creator, among: self.members, self.approach, strangers: strangers, tables) : []
        let members: [Member]
        do throws(ConversationRefusal) {
            members = try ConversationMachine.founders(
                self.creator, with: self.members, unwilling: unwilling, settings: tables.settings.conversations)
        } catch {
            return .failure(error)
        }
        var row = ConversationRow(try tables.nextConversationKey(), self.id, self.kind, created: self.now)
        row.title = self.title
        row.subject = self.subject
        let record = try Conversations.add(row, members, tables)
        let proposal = record.machine.creation(by: self.creator, at: self.now)
        return try Writing.write(proposal, nil, as: self.client, into: record, tables).map { outcome in
            var outcome = outcome
            outcome.came = members.map(\.user)
            outcome.strangers = strangers.intersection(outcome.came)
            return outcome
        }
    }

    private func strangers(_ tables: some Tables) throws(StoreError) -> Set<UserID> {
        guard self.approach != nil, self.kind.isByPeople else { return [] }
        return try Acquaintance.strangers(to: self.creator, among: self.members, tables)
    }
}
