internal import Keeping
internal import PostgresLink
internal import SQLTables

/// Answers what only reads what was committed, on a connection of its own beside the one that writes. All of a request's
/// questions are about the same moment.
final class SnapshotReader {
    private let database: String
    private let tables: SQLTables
    private let replay: ReplayConnection
    private var connection: PostgresConnection?
    private var current: StoreTask?
    private var failure: PostgresError?
    private var hasBegun = false
    /// Asked for the next one whenever there is nothing to do.
    private let next: () -> StoreTask?

    init(of database: String, _ settings: StoreSettings, next: @escaping () -> StoreTask?) {
        self.database = database
        self.replay = ReplayConnection(of: database)
        self.tables = SQLTables(self.replay, words: TSVectorTable(self.replay), settings, cache: nil)
        self.next = next
    }

    var isIdle: Bool { self.current == nil }
    var isUp: Bool { self.connection != nil }

    func up(_ connection: PostgresConnection) {
        self.connection = connection
        self.restart()
    }

    /// Gives back what it was at, for somebody else to do.
    func down() -> StoreTask? {
        self.connection = nil
        defer { self.current = nil }
        return self.current
    }

    /// There may be something to do.
    func wake() {
        guard self.current == nil, self.connection != nil, let task = self.next() else { return }
        self.current = task
        self.restart()
    }

    private func restart() {
        self.replay.log = ReplayLog()
        self.failure = nil
        self.hasBegun = false
        guard let task = self.current else { return self.wake() }
        self.carryOn(task)
    }

    private func carryOn(_ task: StoreTask) {
        self.replay.rewind()
        switch task.perform(self.tables) {
        case .failed(ReplayConnection.notFetched): self.fetch(task)
        case .failed(let error): self.end { task.refuse(error) }
        case .performed(let complete): self.end(complete)
        }
    }

    private func fetch(_ task: StoreTask) {
        if !self.hasBegun {
            self.hasBegun = true
            self.tell("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
        for place in self.replay.log.sent..<self.replay.log.steps.count { self.ask(place) }
        self.replay.log.sent = self.replay.log.steps.count
        self.connection?.synchronize { [weak self] _ in
            guard let self else { return }
            if let failure = self.failure { return self.failed(failure, task) }
            self.carryOn(task)
        }
    }

    private func ask(_ place: Int) {
        let step = self.replay.log.steps[place]
        self.connection?.send(
            PostgresStatements.text(of: step.sql), step.values.map { PostgresValue($0) }
        ) { [weak self] result in
            switch result {
            case .success(let rows): self?.replay.log.steps[place].rows = rows
            case .failure(let error): self?.failure = self?.failure ?? error
            }
        }
    }

    private func failed(_ failure: PostgresError, _ task: StoreTask) {
        let error = StoreError(failure, database: self.database)
        self.end { task.refuse(error) }
    }

    /// The transaction holds nothing, so nobody waits for its end.
    private func end(_ answer: () -> Void) {
        if self.hasBegun {
            self.tell(self.failure == nil ? "COMMIT" : "ROLLBACK")
            self.connection?.sync { _ in }
        }
        self.current = nil
        answer()
        self.restart()
    }

    private func tell(_ sql: String) {
        self.connection?.send(sql, []) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.failure = self?.failure ?? error
        }
    }
}
