/// The newest entries of a conversation and what is added to them live. Nothing is missing in between, and nothing comes
/// twice: the server's numbers have no gaps.
package struct LatestEntries: Sendable {
    package enum Addition: Hashable, Sendable {
        case added
        /// It was there before.
        case known
        /// Something between this number and the new one was not heard of: ask for what comes after it.
        case missing(after: UInt64)
    }

    package let limit: Int
    /// In their order.
    package private(set) var entries: [ChatEntry] = []

    package init(limit: Int = 25) { self.limit = max(limit, 1) }

    /// The number of the newest; 0 when there is none.
    package var last: UInt64 { self.entries.last?.number ?? 0 }

    /// What a `sync` brought. Answers what is new of it.
    @discardableResult
    package mutating func took(_ piece: [ChatEntry]) -> [ChatEntry] {
        let fresh = piece.filter { $0.number > self.last }
        // More was missed than the server sends as the newest: what was there before is no neighbour of it.
        if let first = fresh.first, first.number > self.last + 1 { self.entries = [] }
        self.entries += fresh
        self.trim()
        return fresh
    }

    /// What comes live.
    package mutating func added(_ entry: ChatEntry) -> Addition {
        guard entry.number > self.last else { return .known }
        guard self.entries.isEmpty || entry.number == self.last + 1 else { return .missing(after: self.last) }
        self.entries.append(entry)
        self.trim()
        return .added
    }

    private mutating func trim() {
        if self.entries.count > self.limit { self.entries.removeFirst(self.entries.count - self.limit) }
    }
}
