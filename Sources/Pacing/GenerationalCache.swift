/// What is known of many, and never of too many: when half of its room is full it forgets those who have not been
/// heard of for the longest.
///
/// There are two generations. What is touched moves to the younger one, and when that is full the older one goes.
struct GenerationalCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private var recent: [Key: Value] = [:]
    private var older: [Key: Value] = [:]

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { self.recent.count + self.older.count }

    subscript(key: Key) -> Value? { self.recent[key] ?? self.older[key] }

    mutating func remember(_ value: Value, of key: Key) {
        self.older[key] = nil
        self.recent[key] = value
        guard self.recent.count > max(self.capacity / 2, 1) else { return }
        self.older = self.recent
        self.recent = [:]
    }

    mutating func forget(_ key: Key) {
        self.recent[key] = nil
        self.older[key] = nil
    }
}
