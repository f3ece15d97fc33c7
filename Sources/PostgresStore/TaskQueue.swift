internal import Journal
internal import Keeping
internal import System
internal import Vocabulary

/// What waits for a connection: one of each user in turn.
struct TaskQueue {
    private enum Sender: Hashable, Sendable {
        case user(UserID)
        /// What nobody in particular asked for has a turn of its own, and waits for no other of its like.
        case other(UInt64)
    }

    private var waiting = FairQueue<Sender, StoreTask>()
    private var others: UInt64 = 0
    private let database: String
    private let level: Gauge?

    /// So many may wait altogether.
    private static let maximum = 10_000
    /// So many of one user may wait; more than their clients may ask in a second.
    private static let maximumOfUser = 1000

    init(of database: String, _ level: Gauge? = nil) {
        self.database = database
        self.level = level
    }

    var isEmpty: Bool { self.waiting.isEmpty }

    mutating func append(_ task: StoreTask) {
        let sender = self.sender(of: task)
        guard self.waiting.count < Self.maximum, self.waiting.count(of: sender) < Self.maximumOfUser else {
            return task.refuse(StoreError(.overloaded, database: self.database, detail: "too much waits"))
        }
        self.level?.increment()
        self.waiting.append(task, from: sender)
    }

    mutating func take(upTo limit: Int) -> [StoreTask] {
        let taken = self.waiting.take(upTo: limit)
        self.level?.decrement(by: taken.count)
        return taken
    }

    mutating func refuseAll(_ error: StoreError) {
        for task in self.take(upTo: .max) { task.refuse(error) }
    }

    private mutating func sender(of task: StoreTask) -> Sender {
        if let user = task.asker { return .user(user) }
        self.others += 1
        return .other(self.others)
    }
}
