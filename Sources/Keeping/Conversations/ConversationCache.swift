package import Conversing
package import Vocabulary

/// What an engine remembers of conversations from one request to the next.
///
/// What somebody else writes into the tables is not seen here. So an engine that is not their only writer asks for one that
/// says which conversations a request has used, and compares their versions when it commits. The cache is forgotten as a
/// whole whenever something is taken back, since what was not kept has not happened.
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

    private let isShared: Bool
    /// What was used since the last time, as it was before; nil for what was not here.
    private var used: [(record: ConversationRecord, before: ConversationMachine?)] = []
    private var newPairs: [UserPair] = []
    /// What a request has forgotten, as it was before.
    private var forgotten: (records: [ConversationID: ConversationRecord], directs: [UserPair: ConversationID])?

    /// - Parameter isShared: whether others write the tables as well. Then it counts nothing that they would change, and
    ///   says what was used.
    package init(isShared: Bool = false) { self.isShared = isShared }

    subscript(id: ConversationID) -> ConversationRecord? {
        guard let record = self.records[id] else { return nil }
        if self.isShared { self.used.append((record, record.machine)) }
        return record
    }

    subscript(pair: UserPair) -> ConversationID? { self.directs[pair] }

    func remember(_ record: ConversationRecord) {
        self.memberCount += record.machine.members.count + 1
        if self.isShared { self.used.append((record, nil)) } else { self.trim() }
        self.records[record.id] = record
    }

    func remember(_ pair: UserPair, _ id: ConversationID) {
        if self.isShared, self.directs[pair] == nil { self.newPairs.append(pair) }
        self.directs[pair] = id
    }

    package func forget() {
        if self.isShared, self.forgotten == nil { self.forgotten = (self.records, self.directs) }
        self.records = [:]
        self.directs = [:]
        self.memberCount = 0
        self.badges = [:]
    }

    /// Forgets all when it is too much.
    package func trim() {
        if self.memberCount > Self.maximumMembers { self.forget() }
    }
}

// MARK: - What a request has used

extension ConversationCache {
    /// The conversations that were used since the last time.
    package func takeUsed() -> [ConversationRecord] {
        defer {
            self.used.removeAll(keepingCapacity: true)
            self.newPairs.removeAll(keepingCapacity: true)
            self.forgotten = nil
        }
        return self.used.map(\.record)
    }

    /// An attempt was given up: all is as it was before, so that the next one asks for the same rows.
    package func restoreUsed() {
        if let (records, directs) = self.forgotten { (self.records, self.directs) = (records, directs) }
        for (record, before) in self.used.reversed() {
            if let before { record.machine = before } else { self.records[record.id] = nil }
        }
        for pair in self.newPairs { self.directs[pair] = nil }
        _ = self.takeUsed()
    }
}

// MARK: - What waits to be read

extension ConversationCache {
    subscript(badgeOf user: UserID) -> UInt64? {
        get { self.badges[user] }
        set {
            guard !self.isShared else { return }
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
package final class ConversationRecord {
    package let id: ConversationID
    package let key: ConversationKey
    var machine: ConversationMachine
    /// As of which version of the conversation it is; nil until the engine has found out.
    package var version: Int64?

    init(_ id: ConversationID, _ key: ConversationKey, _ machine: ConversationMachine) {
        self.id = id
        self.key = key
        self.machine = machine
    }
}
