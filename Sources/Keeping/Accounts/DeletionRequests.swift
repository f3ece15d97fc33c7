package import Conversing
package import Vocabulary

/// An account goes: all sign-ins, the name, the picture. Its id stays taken. What the user said, and where they are a member,
/// `EraseUser` sees to.
///
/// Answers what others see now; nil for a user nobody knows. Deleting an account twice changes nothing.
package struct DeleteUser: StoreRequest {
    package let user: UserID
    /// So that the name is not given to another person.
    package let nameHash: [UInt8]?
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(_ user: UserID, nameHash: [UInt8]?, at now: WallTime) {
        self.user = user
        self.nameHash = nameHash
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> ChangedProfile? {
        let known = try tables.user(self.user)
        if let known, known.tombstone != nil {
            return ChangedProfile(profile: known.profile, isNews: false, conversations: [])
        }
        if known == nil { guard try tables.conversationCount(of: self.user, limit: 1) > 0 else { return nil } }
        for family in try tables.refreshFamilies(of: self.user) { try tables.removeRefreshFamily(family.id) }
        try tables.removeModerator(self.user)
        var row = UserRow(StoredUser(id: self.user, created: known?.account.created ?? self.now))
        row.profileChanged = self.now
        row.tombstone = Tombstone(at: self.now, retiredName: self.nameHash)
        try row.write(over: known, tables)
        return try ChangedProfile(news: row.profile, tables)
    }
}

/// Users whose account was deleted.
package enum ListDeletedUsers: StoreRequest {
    case all
    /// Of whom something is still to be removed.
    case erasing

    package static let access = StoreAccess.reads

    package func perform(on tables: some Tables) throws(StoreError) -> [UserID] {
        try tables.deletedUsers(isErasing: self == .erasing)
    }
}

/// Takes a deleted user out of their conversations, a portion at a time, and then removes what was theirs alone.
///
/// A direct conversation ends, groups and rooms go on without them. What was said stays where others can read it, and goes
/// where none can.
package struct EraseUser: StoreRequest {
    package let user: UserID
    /// Where the last portion ended: younger conversations are done.
    package var end: ConversationKey?
    package let now: WallTime

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }
    private static let conversationsAtOnce = 20
    private static let entriesAtOnce = 500
    private static let filesAtOnce = 200

    package init(_ user: UserID, at now: WallTime) {
        self.user = user
        self.now = now
    }
}

package struct ErasedPortion: Hashable, Sendable {
    /// What the others in the conversations have to hear.
    package var outcomes: [ChangeOutcome] = []
    /// Where to go on.
    package var end: ConversationKey?
    /// Nothing is left.
    package var isDone = false

    package init() {}
}

extension EraseUser {
    package func perform(on tables: some Tables) throws(StoreError) -> ErasedPortion {
        var portion = ErasedPortion()
        portion.end = self.end
        guard var row = try tables.user(self.user), row.tombstone?.isErasing == true else {
            portion.isDone = true
            return portion
        }
        let left = try tables.conversations(of: self.user, after: self.end, limit: Self.conversationsAtOnce + 1)
        for key in left.prefix(Self.conversationsAtOnce) {
            guard try self.leave(key, &portion, tables) else { return portion }
            portion.end = key
        }
        guard left.count <= Self.conversationsAtOnce, try self.removeBelongings(tables) else { return portion }
        row.tombstone?.isErasing = false
        try tables.update(row)
        portion.isDone = true
        return portion
    }

    /// False when there is more to do in it.
    private func leave(
        _ key: ConversationKey, _ portion: inout ErasedPortion, _ tables: some Tables
    ) throws(StoreError) -> Bool {
        guard let id = try tables.conversation(key)?.id, let record = try Conversations.record(id, tables) else {
            return true
        }
        if let proposal = record.machine.departure(of: self.user, at: self.now),
            case .success(let outcome) = try Writing.write(proposal, nil, as: nil, into: record, tables)
        {
            portion.outcomes.append(outcome)
        }
        guard try self.isAbandoned(record, tables) else { return true }
        return try self.removeEntries(of: key, tables)
    }

    /// Nobody can read it any more.
    private func isAbandoned(_ record: ConversationRecord, _ tables: some Tables) throws(StoreError) -> Bool {
        guard record.machine.kind.rules.membership != .open else { return false }
        for user in record.machine.members.keys.sorted(by: { $0.text < $1.text }) where user != self.user {
            guard try tables.user(user)?.tombstone != nil else { return false }
        }
        return true
    }

    private func removeEntries(of key: ConversationKey, _ tables: some Tables) throws(StoreError) -> Bool {
        let end = WallTime(milliseconds: .max)
        let marks = try tables.entries(of: key, before: end, limit: Self.entriesAtOnce)
        try Writing.remove(marks[...], of: key, tables)
        tables.cache?.forget()
        return marks.count < Self.entriesAtOnce
    }

    private func removeBelongings(_ tables: some Tables) throws(StoreError) -> Bool {
        let files = try tables.unusedFiles(of: self.user, limit: Self.filesAtOnce)
        for file in files { try tables.orphan(file) }
        try tables.removeBlocks(by: self.user)
        try tables.removeCursors(of: self.user)
        try tables.removePushDevices(of: self.user)
        try tables.removePushEvents(of: self.user)
        try tables.removeReceipts(of: self.user)
        try tables.removeDoorRecords(of: self.user)
        return files.count < Self.filesAtOnce
    }
}
