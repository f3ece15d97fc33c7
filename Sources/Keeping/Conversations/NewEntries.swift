internal import Conversing
package import Vocabulary

/// What was written into a conversation, by whichever node, for those who listen to it.
package struct NewEntries: StoreRequest {
    package let conversation: ConversationID
    package let after: UInt64
    package let through: UInt64

    package static let access = StoreAccess.readsCommitted
    private static let maximum = 200

    package init(of conversation: ConversationID, after: UInt64, through: UInt64) {
        self.conversation = conversation
        self.after = after
        self.through = through
    }

    package struct Page: Sendable {
        package var outcomes: [ChangeOutcome] = []
        /// Up to this number they are all there are.
        package var end: UInt64
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Page {
        guard let row = try tables.conversation(self.conversation), self.after < self.through else {
            return Page(end: self.through)
        }
        let entries = try Pages.entries(
            of: row.key, in: self.after + 1...self.through, fromEnd: false, limit: Self.maximum, tables)
        var page = Page(end: self.through)
        for entry in entries { page.outcomes.append(try self.outcome(entry, row, tables)) }
        let bounds = try tables.entryBounds(of: row.key)
        let isWhole = entries.last.map { $0.number >= min(self.through, bounds?.upperBound ?? 0) } ?? true
        if !isWhole, let last = entries.last { page.end = last.number }
        return page
    }

    private func outcome(
        _ entry: Entry, _ row: ConversationRow, _ tables: some Tables
    ) throws(StoreError) -> ChangeOutcome {
        var outcome = ChangeOutcome(self.conversation, row.key, entry)
        let isDirect = entry.number == 1 && row.kind == .direct
        if isDirect || !entry.arrivals.isEmpty {
            // Who has gone since does not come back with an old entry.
            let members = try self.members(entry.arrivals, of: row.key, tables)
            outcome.came = isDirect ? members : entry.arrivals.filter(Set(members).contains)
        }
        outcome.went = entry.departure
        return outcome
    }

    /// In one question: either of the only one who is asked about, or of all.
    private func members(
        _ users: [UserID], of key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> [UserID] {
        if let user = users.first, users.count == 1 {
            return try tables.member(user, of: key) == nil ? [] : [user]
        }
        return try tables.members(of: key, after: "", limit: .max).map(\.member.user)
    }
}

/// The last numbers of conversations, to find out whether something was missed.
package struct LatestNumbers: StoreRequest {
    package let conversations: [ConversationID]

    package static let access = StoreAccess.readsCommitted

    package init(of conversations: [ConversationID]) { self.conversations = conversations }

    package func perform(on tables: some Tables) throws(StoreError) -> [ConversationHead] {
        try tables.heads(of: self.conversations)
    }
}

/// A conversation, and the number of the last entry in it.
package struct ConversationHead: Hashable, Sendable {
    package let id: ConversationID
    package let number: UInt64

    package init(_ id: ConversationID, _ number: UInt64) {
        self.id = id
        self.number = number
    }
}

/// What a user is in just now.
package struct MembershipHeads: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.readsCommitted

    package init(of user: UserID) { self.user = user }

    package struct Membership: Hashable, Sendable {
        package let head: ConversationHead
        /// Entries up to this number are not theirs to see.
        package let since: UInt64
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [Membership] {
        try tables.membershipMarks(of: self.user).map {
            Membership(head: ConversationHead($0.id, $0.latest.number), since: $0.since)
        }
    }
}
