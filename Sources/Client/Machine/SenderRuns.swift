package import Vocabulary

/// What one person says in one go, until another sender speaks or something else happens.
package struct SenderRun: Hashable, Sendable {
    package let sender: UserID
    package fileprivate(set) var entries: [ChatEntry]

    package init(_ entry: ChatEntry) {
        self.sender = entry.from
        self.entries = [entry]
    }

    /// Whether this is said in the same go. What is no message stands alone.
    package func goesOn(with entry: ChatEntry) -> Bool {
        guard entry.type == "message", self.entries.last?.type == "message" else { return false }
        return entry.from == self.sender
    }
}

/// Entries grouped in runs: each begins with the name of who speaks, which is said once.
package struct SenderRuns: Hashable, Sendable {
    package private(set) var runs: [SenderRun] = []

    package init() {}

    package init(_ entries: some Sequence<ChatEntry>) {
        for entry in entries { self.append(entry) }
    }

    /// True when a run begins with it.
    @discardableResult
    package mutating func append(_ entry: ChatEntry) -> Bool {
        if let last = self.runs.indices.last, self.runs[last].goesOn(with: entry) {
            self.runs[last].entries.append(entry)
            return false
        }
        self.runs.append(SenderRun(entry))
        return true
    }
}
