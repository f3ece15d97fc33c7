package import Conversing
package import Vocabulary

/// A device got something, or somebody read it there.
package struct MarkRequest: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID
    package let device: DeviceID
    package var delivered: UInt64?
    package var read: UInt64?
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(
        _ conversation: ConversationID, of user: UserID, on device: DeviceID, delivered: UInt64? = nil,
        read: UInt64? = nil, at now: WallTime
    ) {
        self.conversation = conversation
        self.user = user
        self.device = device
        self.delivered = delivered
        self.read = read
        self.now = now
    }
}

/// Where a user stands in a conversation, after a mark was set.
package struct Marked: Hashable, Sendable {
    package let key: ConversationKey
    package let kind: ConversationKind
    package let memberCount: Int
    package let delivered: UInt64
    package let read: UInt64
    package let unread: UInt64
    /// The sum of what is unread in all of the user's conversations.
    package let badge: UInt64
    /// False when nothing is new about it.
    package let isNews: Bool
}

extension MarkRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Marked> {
        guard let record = try Conversations.record(self.conversation, tables) else { return .failure(.unknown) }
        let furthest = max(self.delivered ?? 0, self.read ?? 0)
        let counted = try self.counted(in: record, tables)
        let (before, member): (Member, Member)
        do throws(ConversationRefusal) {
            before = try record.machine.member(self.user, reaching: furthest)
            member =
                try self.read.map { read throws(ConversationRefusal) in
                    try record.machine.reading(read, counted: counted, by: before.user) ?? before
                } ?? before
        } catch {
            return .failure(error)
        }
        if member != before { try self.accept(member, record, tables) }
        let isNews = try self.writeCursor(furthest, record.key, tables) || member != before
        return .success(
            Marked(
                key: record.key, kind: record.machine.kind, memberCount: record.machine.members.count,
                delivered: max(furthest, member.read), read: member.read,
                unread: try Unread.count(for: member, in: record, tables),
                badge: try Unread.badge(of: member.user, tables), isNews: isNews))
    }

    private func accept(_ member: Member, _ record: ConversationRecord, _ tables: some Tables) throws(StoreError) {
        if let before = record.machine.members[member.user], let badge = tables.cache?[badgeOf: member.user] {
            let fewer = try Unread.count(for: before, in: record, tables)
            let sum = badge + (try Unread.count(for: member, in: record, tables))
            tables.cache?[badgeOf: member.user] = sum >= fewer ? sum - fewer : nil
        }
        try tables.update(member, of: record.key)
        record.machine.accepted(member)
    }

    /// How many messages there are up to where it was read.
    private func counted(in record: ConversationRecord, _ tables: some Tables) throws(StoreError) -> UInt64 {
        guard let read = self.read else { return 0 }
        if read == record.machine.last { return record.machine.counted }
        return try tables.entry(EntryKey(record.key, read))?.counted ?? 0
    }

    /// What was read was delivered. False when the device had got as far before.
    private func writeCursor(
        _ delivered: UInt64, _ key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> Bool {
        let old = try tables.cursor(of: self.user, on: self.device, in: key)
        let new = CursorRow(
            delivered: max(delivered, old?.delivered ?? 0), read: max(self.read ?? 0, old?.read ?? 0), time: self.now)
        guard old.map({ $0.delivered < new.delivered || $0.read < new.read }) ?? true else { return false }
        try tables.put(new, of: self.user, on: self.device, in: key)
        return true
    }
}

/// What waits for somebody to read it.
enum Unread {
    /// The sum over all conversations of a user.
    ///
    /// - Parameter marks: of all of them, where they are at hand.
    static func badge(
        of user: UserID, from marks: [MembershipMark]? = nil, _ tables: some Tables
    ) throws(StoreError) -> UInt64 {
        if let known = tables.cache?[badgeOf: user] { return known }
        let rows: [UnreadRow]
        if let marks { rows = marks.compactMap { UnreadRow($0) } } else { rows = try tables.unread(of: user) }
        var badge: UInt64 = 0
        for row in rows {
            badge += try self.count(row.key, counted: row.counted, readCounted: row.readCounted, read: row.read, tables)
        }
        tables.cache?[badgeOf: user] = badge
        return badge
    }

    static func count(
        for member: Member, in record: ConversationRecord, _ tables: some Tables
    ) throws(StoreError) -> UInt64 {
        guard record.machine.counted > member.readCounted else { return 0 }
        let recalled = try tables.recalledCount(of: record.key, after: member.read)
        return record.machine.unread(of: member, recalled: recalled)
    }

    static func count(in membership: Membership, _ tables: some Tables) throws(StoreError) -> UInt64 {
        let (member, latest) = (membership.member, membership.latest)
        guard latest.counted > member.readCounted else { return 0 }
        return try self.count(
            membership.key, counted: latest.counted, readCounted: member.readCounted, read: member.read, tables)
    }

    private static func count(
        _ key: ConversationKey, counted: UInt64, readCounted: UInt64, read: UInt64, _ tables: some Tables
    ) throws(StoreError) -> UInt64 {
        let recalled = try tables.recalledCount(of: key, after: read)
        return ConversationMachine.unread(counted: counted, readCounted: readCounted, recalled: recalled)
    }
}

/// Takes the past out of a user's sight, on all devices; the others keep it.
package struct ClearHistory: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(of conversation: ConversationID, for user: UserID) {
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<UInt64> {
        guard let record = try Conversations.record(self.conversation, tables) else { return .failure(.notMember) }
        let member: Member
        do throws(ConversationRefusal) {
            member = try record.machine.clearing(by: self.user)
        } catch {
            return .failure(error)
        }
        try tables.update(member, of: record.key)
        record.machine.accepted(member)
        tables.cache?[badgeOf: self.user] = nil
        return .success(member.since)
    }
}

/// A conversation that is muted is delivered without a sound.
package struct SetMuted: StoreRequest {
    package let isMuted: Bool
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ isMuted: Bool, _ conversation: ConversationID, of user: UserID) {
        self.isMuted = isMuted
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        guard let row = try tables.conversation(self.conversation), try tables.member(self.user, of: row.key) != nil
        else { return .failure(.notMember) }
        try tables.setMuted(self.isMuted, self.user, of: row.key)
        return .success(())
    }
}

/// A conversation that is archived is out of the way until somebody says something in it.
package struct SetArchived: StoreRequest {
    package let isArchived: Bool
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ isArchived: Bool, _ conversation: ConversationID, of user: UserID) {
        self.isArchived = isArchived
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        guard let row = try tables.conversation(self.conversation), try tables.member(self.user, of: row.key) != nil
        else { return .failure(.notMember) }
        let counted = try tables.latestEntry(of: row.key)?.counted ?? 0
        try tables.setArchived(self.isArchived ? counted : nil, self.user, of: row.key)
        return .success(())
    }
}
