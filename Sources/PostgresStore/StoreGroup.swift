internal import Keeping
internal import PostgresLink

/// Requests that are committed together, and how far they have come.
final class StoreGroup {
    enum Outcome {
        case performed(() -> Void)
        case failed(StoreError)
    }

    private(set) var tasks: [StoreTask] = []
    private(set) var outcomes: [Outcome] = []
    var hasBegun = false
    var writes = false
    /// Conversations that were remembered, or are from now on.
    private(set) var used: [ConversationRecord] = []
    private var known: Set<ObjectIdentifier> = []
    /// The first thing that went wrong on the way, and at which task.
    private(set) var failure: (task: Int, error: PostgresError)?
    /// Whether rows of several requests are told in one statement.
    var gathers = true
    /// How often it was begun again because others had written what it had read.
    private(set) var conflicts = 0
    private var firstConflict: UInt64?
    /// What is known before a task is carried out once more.
    private var remarks: [Int: Remark] = [:]
    private var collisions: [Int: Int] = [:]
    private static let maximumCollisions = 60

    private enum Remark {
        /// A write that should have changed a row did not, so it is waited for.
        case careful
        /// It breaks a rule of the tables, whenever it is carried out.
        case hopeless(StoreError)
    }

    func add(_ tasks: [StoreTask]) { self.tasks += tasks }

    /// Which task is to be carried out, if not all are.
    var current: Int? { self.outcomes.count < self.tasks.count ? self.outcomes.count : nil }

    func isCareful(_ task: Int) -> Bool { if case .careful = self.remarks[task] { true } else { false } }

    func refusal(of task: Int) -> StoreError? {
        if case .hopeless(let error) = self.remarks[task] { error } else { nil }
    }

    func ended(_ outcome: Outcome) { self.outcomes.append(outcome) }

    func failed(_ error: PostgresError, at task: Int) {
        if self.failure == nil { self.failure = (task, error) }
    }

    /// Nothing of it has happened: everything is carried out again.
    func restart() {
        self.outcomes = []
        self.failure = nil
        self.hasBegun = false
        self.writes = false
        self.used = []
        self.known = []
    }

    func uses(_ records: [ConversationRecord]) {
        for record in records where self.known.insert(ObjectIdentifier(record)).inserted { self.used.append(record) }
    }

    /// Others have written what it had read. Answers when that happened first, in milliseconds.
    func conflicted(at now: UInt64) -> UInt64 {
        self.conflicts += 1
        let first = self.firstConflict ?? now
        self.firstConflict = first
        return first
    }

    /// It breaks a rule of the tables, whoever else writes.
    func broke(_ error: StoreError, at task: Int) { self.remarks[task] = .hopeless(error) }

    /// A row was there already. Others may have been quicker, so that is asked again a few times, and waited for; then it is
    /// the answer.
    func collided(_ error: StoreError, at task: Int) {
        self.collisions[task, default: 0] += 1
        let isHopeless = self.collisions[task, default: 0] > Self.maximumCollisions
        self.remarks[task] = isHopeless ? .hopeless(error) : .careful
    }

    func answer() {
        for (task, outcome) in zip(self.tasks, self.outcomes) {
            switch outcome {
            case .performed(let complete): complete()
            case .failed(let error): task.refuse(error)
            }
        }
    }

    func refuse(_ error: StoreError) {
        for task in self.tasks { task.refuse(error) }
    }
}
