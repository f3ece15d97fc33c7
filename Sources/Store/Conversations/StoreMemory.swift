internal import Conversing
internal import Vocabulary

/// What the store's thread remembers of its own tables, so that the next request need not look it up.
///
/// It is forgotten as a whole whenever something is taken back, since what was not kept has not happened.
final class StoreMemory {
    private var records: [ConversationID: ConversationRecord] = [:]
    private var directs: [Pair: ConversationID] = [:]
    /// Conversations with entries that cannot be searched yet.
    var unindexed: Set<ConversationKey> = []
    /// Whether another program wants to hear of every entry.
    var keepsOutbox = false
    private var memberCount = 0

    /// Members of all conversations that are remembered.
    private static let mostMembers = 1_000_000

    subscript(id: ConversationID) -> ConversationRecord? { self.records[id] }
    subscript(pair: Pair) -> ConversationID? { self.directs[pair] }

    func remember(_ record: ConversationRecord) {
        self.memberCount += record.machine.members.count + 1
        if self.memberCount > Self.mostMembers { self.forget() }
        self.records[record.id] = record
    }

    func remember(_ pair: Pair, _ id: ConversationID) { self.directs[pair] = id }

    func forget() {
        self.records = [:]
        self.directs = [:]
        self.memberCount = 0
    }

    /// Two people, whoever of them asks.
    struct Pair: Hashable {
        let low: UserID
        let high: UserID

        init(_ one: UserID, _ other: UserID) {
            let isOrdered = one.text < other.text
            self.low = isOrdered ? one : other
            self.high = isOrdered ? other : one
        }
    }
}

/// A conversation as the store's thread knows it.
final class ConversationRecord {
    let id: ConversationID
    let key: ConversationKey
    var machine: ConversationMachine
    /// Of its latest entry: within a conversation time does not run backwards.
    var lastTime: WallTime

    init(_ id: ConversationID, _ key: ConversationKey, _ machine: ConversationMachine, lastTime: WallTime) {
        self.id = id
        self.key = key
        self.machine = machine
        self.lastTime = lastTime
    }

    func member(_ user: UserID) -> Member? { self.machine.members[user] }
}
