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

    /// Members of all conversations that are remembered.
    private static let maximumMembers = 1_000_000

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
