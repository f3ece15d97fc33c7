import Vocabulary

/// What became of the latest calls, for those who come late and for invitations that come twice.
struct EndedCalls: Sendable {
    enum Fate: Hashable, Sendable {
        case ended(CallOutcome)
        case merged(into: CallID)
    }

    struct Entry: Hashable, Sendable {
        let fate: Fate
        let caller: UserID
        let callee: UserID

        func concerns(_ user: UserID) -> Bool { user == self.caller || user == self.callee }
    }

    private var entries: [CallID: Entry] = [:]
    /// A ring: the oldest name gives its place to the newest.
    private var names: [CallID] = []
    private var oldest = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(id: CallID) -> Entry? { self.entries[id] }

    mutating func insert(_ entry: Entry, for id: CallID) {
        guard self.capacity > 0, self.entries.updateValue(entry, forKey: id) == nil else { return }
        guard self.names.count == self.capacity else { return self.names.append(id) }
        self.entries[self.names[self.oldest]] = nil
        self.names[self.oldest] = id
        self.oldest = (self.oldest + 1) % self.capacity
    }
}
