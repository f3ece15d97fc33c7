import Vocabulary

/// The requests that wait: to be sent, or for their answers. Oldest first, and so in the order of their deadlines.
struct RequestBook {
    private struct Entry {
        let id: Int
        let deadline: Instant
        /// The frame, as long as it was not sent.
        var unsent: [UInt8]?
    }

    private var entries: [Entry] = []
    private var lastID = 0

    var count: Int { self.entries.count }
    var nextDeadline: Instant? { self.entries.first?.deadline }

    mutating func nextID() -> Int {
        self.lastID += 1
        return self.lastID
    }

    mutating func add(_ id: Int, frame: [UInt8], deadline: Instant) {
        self.entries.append(Entry(id: id, deadline: deadline, unsent: frame))
    }

    /// The frames that can leave now.
    mutating func takeUnsent() -> [[UInt8]] {
        var frames: [[UInt8]] = []
        for index in self.entries.indices {
            guard let frame = self.entries[index].unsent.take() else { continue }
            frames.append(frame)
        }
        return frames
    }

    /// Whether this answer is waited for. It is not when it comes late.
    mutating func answered(_ id: Int) -> Bool {
        guard let index = self.entries.firstIndex(where: { $0.id == id && $0.unsent == nil }) else { return false }
        self.entries.remove(at: index)
        return true
    }

    mutating func takeOverdue(at now: Instant) -> [Int] {
        let overdue = self.entries.prefix { $0.deadline <= now }.map(\.id)
        self.entries.removeFirst(overdue.count)
        return overdue
    }

    /// Those whose answers went down with the connection.
    mutating func takeSent() -> [Int] {
        let sent = self.entries.filter { $0.unsent == nil }.map(\.id)
        self.entries.removeAll { $0.unsent == nil }
        return sent
    }

    mutating func takeAll() -> [Int] {
        defer { self.entries = [] }
        return self.entries.map(\.id)
    }
}
