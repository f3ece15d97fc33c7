internal import Conversing
internal import Vocabulary

/// What an engine remembers of conversations from one request to the next.
///
/// Only an engine that is the one writer of its tables may have one: what somebody else writes is not seen here. It is
/// forgotten as a whole whenever something is taken back, since what was not kept has not happened.
package final class ConversationCache {
    private var records: [ConversationID: ConversationRecord] = [:]
    private var directs: [UserPair: ConversationID] = [:]
    private var memberCount = 0
    /// Conversations with messages that cannot be searched yet.
    private var unindexed: Set<ConversationKey> = []
    private var unindexedCount = 0
    /// How many messages wait for a user, in all conversations; of users who asked.
    private var badges: [UserID: UInt64] = [:]

    /// Members of all conversations that are remembered.
    private static let maximumMembers = 1_000_000
    private static let maximumBadges = 4096

    package init() {}

    subscript(id: ConversationID) -> ConversationRecord? { self.records[id] }
    subscript(pair: UserPair) -> ConversationID? { self.directs[pair] }

    func remember(_ record: ConversationRecord) {
        self.memberCount += record.machine.members.count + 1
        if self.memberCount > Self.maximumMembers { self.forget() }
        self.records[record.id] = record
    }

    func remember(_ pair: UserPair, _ id: ConversationID) { self.directs[pair] = id }

    package func forget() {
        self.records = [:]
        self.directs = [:]
        self.memberCount = 0
        self.badges = [:]
    }
}

// MARK: - What waits to be read

extension ConversationCache {
    subscript(badgeOf user: UserID) -> UInt64? {
        get { self.badges[user] }
        set {
            let isNew = newValue != nil && self.badges[user] == nil
            if isNew, self.badges.count >= Self.maximumBadges { self.badges = [:] }
            self.badges[user] = newValue
        }
    }

    /// Call it before the machine accepts the entry. A message waits for all members but its sender, who has read
    /// the others. What is taken back, and what a member leaves behind, is counted anew when somebody asks.
    func willAccept(_ entry: Entry, in machine: ConversationMachine) {
        guard !self.badges.isEmpty else { return }
        switch entry.sort {
        case .message:
            self.changeBadges(in: machine) { member, badge in
                if member.user != entry.sender { return badge + 1 }
                return member.readCounted == machine.counted ? badge : nil
            }
        case .recalled, .left, .removed: self.changeBadges(in: machine) { _, _ in nil }
        // Who comes has nothing to read yet.
        case .created, .joined, .edited, .reacted, .renamed, .role, .silenced, .dissolved, .pinned, .unpinned: break
        }
    }

    /// In the order that takes fewer steps.
    private func changeBadges(in machine: ConversationMachine, _ change: (Member, UInt64) -> UInt64?) {
        if machine.members.count < self.badges.count {
            for (user, member) in machine.members {
                if let badge = self.badges[user] { self.badges[user] = change(member, badge) }
            }
        } else {
            for (user, badge) in self.badges {
                if let member = machine.members[user] { self.badges[user] = change(member, badge) }
            }
        }
    }
}

// MARK: - What cannot be searched yet

extension ConversationCache {
    var unindexedConversations: [ConversationKey] { Array(self.unindexed) }

    func wrote(to key: ConversationKey) {
        self.unindexed.insert(key)
        self.unindexedCount += 1
    }

    func indexed(_ key: ConversationKey) { self.unindexed.remove(key) }

    /// True once for every portion of new messages: then it is worth to put them into the index.
    package func takeIndexing() -> Bool {
        guard self.unindexedCount >= IndexMessages.portion else { return false }
        self.unindexedCount = 0
        return true
    }
}

/// A conversation as an operation knows it: where it is kept, and its machine.
final class ConversationRecord {
    let id: ConversationID
    let key: ConversationKey
    var machine: ConversationMachine

    init(_ id: ConversationID, _ key: ConversationKey, _ machine: ConversationMachine) {
        self.id = id
        self.key = key
        self.machine = machine
    }
}
