package import Conversing
package import Vocabulary

/// A message of which devices that sleep have to hear.
package struct PendingPush: Hashable, Sendable {
    package let number: Int64
    package let conversation: ConversationID
    package let kind: ConversationKind
    package let title: DisplayName?
    package let key: ConversationKey
    package let entry: Entry
    /// What its sender is called.
    package let senderName: DisplayName?
}

/// Those that wait, in the order in which they were written.
package enum ListPushes: StoreRequest {
    case after(Int64, limit: Int)
    /// Those with these numbers.
    case numbered(RangeSet<Int64>)

    package static let access = StoreAccess.reads
    /// So many are taken of each range of numbers.
    private static let maximumOfRange = 10_000

    package func perform(on tables: some Tables) throws(StoreError) -> [PendingPush] {
        let rows = try self.rows(tables)
        let conversations = try tables.conversations(rows.map(\.entry.conversation))
        let entries = try tables.entries(rows.map(\.entry))
        let senders = try tables.users(rows.compactMap { entries[$0.entry]?.sender })
        return rows.compactMap { row in
            guard let conversation = conversations[row.entry.conversation], let entry = entries[row.entry] else {
                return nil
            }
            return PendingPush(
                number: row.number, conversation: conversation.id, kind: conversation.kind, title: conversation.title,
                key: conversation.key, entry: entry, senderName: senders[entry.sender]?.profile.shownName)
        }
    }

    private func rows(_ tables: some Tables) throws(StoreError) -> [PushRow] {
        switch self {
        case .after(let number, let limit): return try tables.pushes(after: number, limit: limit)
        case .numbered(let numbers):
            return try tables.pushes(numbered: numbers.closedRanges, limit: Self.maximumOfRange)
        }
    }
}

/// All of its devices have heard of it, or need not.
package struct ConfirmPush: StoreRequest {
    package let number: Int64

    package static let access = StoreAccess.writes

    package init(_ number: Int64) { self.number = number }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.removePush(self.number) }
}

/// Somebody whose devices may have to be woken for a message.
package struct PushTarget: Hashable, Sendable {
    package let user: UserID
    package let devices: [PushDevice]
    /// What waits for this user in all conversations.
    package let badge: UInt64
}

/// Who in a conversation has devices that sleep and has neither got a message nor read it, in the order of their ids.
package struct FindPushTargets: StoreRequest {
    package let push: PendingPush
    package let users: Users

    package enum Users: Hashable, Sendable {
        /// From the one behind a name.
        case after(String, limit: Int)
        case these([UserID])
    }

    package struct Page: Hashable, Sendable {
        package var targets: [PushTarget] = []
        /// Where to go on; nil at the end.
        package var next: String?
    }

    package static let access = StoreAccess.reads

    package init(of push: PendingPush, _ users: Users) {
        self.push = push
        self.users = users
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Page {
        var page = Page()
        let users: [UserID]
        switch self.users {
        case .these(let these): users = these
        case .after(let name, let limit):
            users = try tables.usersWithPushDevices(in: self.push.key, after: name, limit: limit)
            if users.count == limit { page.next = users.last?.text }
        }
        // It may have been taken back meanwhile.
        guard try tables.entry(EntryKey(self.push.key, self.push.entry.number))?.body != nil else { return Page() }
        for user in users {
            guard try self.wants(user, tables) else { continue }
            let devices = try tables.pushDevices(of: user)
            guard !devices.isEmpty else { continue }
            page.targets.append(PushTarget(user: user, devices: devices, badge: try Unread.badge(of: user, tables)))
        }
        return page
    }

    private func wants(_ user: UserID, _ tables: some Tables) throws(StoreError) -> Bool {
        let entry = self.push.entry
        guard user != entry.sender, let row = try tables.member(user, of: self.push.key),
            row.member.read < entry.number, !row.isMuted || entry.mentions.contains(user),
            try tables.delivered(to: user, in: self.push.key) < entry.number
        else { return false }
        return try !tables.isBlocked(entry.sender, by: user)
    }
}
