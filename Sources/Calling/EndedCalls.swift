internal import BinaryCoding
internal import Bytes
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

extension EndedCalls {
    /// The oldest first.
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.names.count)
        for place in self.names.indices {
            let name = self.names[(self.oldest + place) % self.names.count]
            guard let entry = self.entries[name] else { continue }
            bytes.put(name)
            bytes.put(entry)
        }
    }

    init(from bytes: inout ByteReader, capacity: Int) throws(ByteError) {
        self.init(capacity: capacity)
        let count: Int = try bytes.take()
        for _ in 0..<max(0, count) {
            let name: CallID = try bytes.take()
            self.insert(try bytes.take(), for: name)
        }
    }
}

extension EndedCalls.Entry: BinaryCoded {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.caller)
        bytes.put(self.callee)
        switch self.fate {
        case .ended(let outcome):
            bytes.put(false)
            bytes.put(outcome)
        case .merged(let survivor):
            bytes.put(true)
            bytes.put(survivor)
        }
    }

    init(from bytes: inout ByteReader) throws(ByteError) {
        let (caller, callee): (UserID, UserID) = (try bytes.take(), try bytes.take())
        let isMerged: Bool = try bytes.take()
        let fate: EndedCalls.Fate = isMerged ? .merged(into: try bytes.take()) : .ended(try bytes.take())
        self.init(fate: fate, caller: caller, callee: callee)
    }
}
