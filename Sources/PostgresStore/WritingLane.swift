internal import Conversing
internal import Journal
internal import Keeping
internal import PostgresLink
internal import Reactor
internal import SQLTables
internal import Vocabulary

/// Carries out what waits, group by group, on one connection: what queued up while the last group was committed is
/// committed together. It lives on the store's loop.
///
/// A group is one transaction. Its requests are carried out one after the other, each as often as it asks for rows that
/// were not fetched; what they write leaves without waiting for an answer. Each group that writes has a number, so that
/// a commit whose answer was lost with the connection is looked up and not repeated.
///
/// While a group is committed the next one is prepared: its requests are carried out as far as they need no rows, and what
/// they say is held back until the commit is through. If it is not, the preparation is given up.
final class WritingLane {
    private enum State {
        case idle
        case working(StoreGroup)
        /// Its commit was on the way when the connection broke.
        case unsettled(StoreGroup)
    }

    private let name: String
    private let database: String
    private let tables: SQLTables
    private let replay: ReplayConnection
    private let cache = ConversationCache(isShared: true)
    private let metrics: StoreMetrics?
    private let largestGroup: Int
    private let clock: any Scheduler
    private var state = State.idle
    /// Nil while there is none.
    private var connection: PostgresConnection?
    private var queue: TaskQueue
    /// Prepared while the one before it is committed.
    private var next: StoreGroup?
    /// What the next group has said so far; nil while what is said leaves at once.
    private var held: [HeldStatement]?
    /// Whether the next group needs rows before it can go on.
    private var isStalled = false
    /// Of the group that is carried out.
    private var gathered = GatheredWrites()
    /// Of the last group that was committed.
    private var number: Int64 = 0
    /// Whether the database has said that the row of this lane is there.
    private var hasRow = false
    /// Whether that row was gone when the connection came back: nobody knows any more what became of the last group.
    private var isForgotten = false
    /// Whether there are enough new messages to put into the index of words.
    private var isIndexingDue = false
    private var sweepTimer: TimerToken?
    private var isSweepDue = false
    /// Called whenever nothing waits and nothing is under way.
    var onIdle: () -> Void = {}

    /// So often, and so long, a group is begun again because others wrote what it had read: another server that writes into the same
    /// conversation without a pause is the quicker one many times in a row.
    private static let (conflicts, milliseconds) = (20, 5_000 as UInt64)

    init(
        _ name: String, of database: String, _ settings: StoreSettings, _ metrics: StoreMetrics?, largestGroup: Int,
        on clock: any Scheduler
    ) {
        self.name = name
        self.database = database
        self.replay = ReplayConnection(of: database)
        self.tables = SQLTables(self.replay, words: TSVectorTable(self.replay), settings, cache: self.cache)
        self.metrics = metrics
        self.largestGroup = largestGroup
        self.clock = clock
        self.queue = TaskQueue(of: database, metrics?.waiting)
    }

    var isIdle: Bool { if case .idle = self.state, self.queue.isEmpty { true } else { false } }

    func post(_ task: StoreTask) {
        self.queue.append(task)
        if self.held == nil { self.start() } else { self.prepare() }
    }

    /// What waits is not going to be carried out.
    func refuseWaiting(_ error: StoreError) {
        self.queue.refuseAll(error)
        self.forgetPreparation()
        self.next?.refuse(error)
        self.next = nil
        if case .working(let group) = self.state, self.connection == nil {
            // What it had asked for is not going to be answered to the next one that asks the same.
            self.startAnew()
            self.state = .idle
            group.refuse(error)
        }
    }

    // MARK: - The connection

    func up(_ connection: PostgresConnection) {
        self.makeRow(on: connection)
        self.connection = connection
        self.isSweepDue = true
        switch self.state {
        case .idle: self.start()
        case .working(let group): self.carryOutAgain(group)
        case .unsettled(let group): self.settle(group)
        }
    }

    func down() { self.connection = nil }

    private func makeRow(on connection: PostgresConnection) {
        let sql = "INSERT INTO lanes (name, number) VALUES ($1, $2) ON CONFLICT DO NOTHING"
        self.isForgotten = false
        connection.send(sql, [.text(self.name), .integer(self.number)]) { [weak self] result in
            guard let self, case .success(let rows) = result else { return }
            self.isForgotten = self.hasRow && rows.changed == 1
            self.hasRow = true
        }
        connection.sync { _ in }
    }

    // MARK: - A group

    private func start() {
        guard case .idle = self.state, let connection = self.connection else { return }
        if self.isSweepDue { self.sweep(on: connection) }
        if self.next == nil { self.replay.memory = GroupMemory() }
        let group = self.next ?? StoreGroup()
        self.next = nil
        self.fill(group)
        guard !group.tasks.isEmpty || self.isIndexingDue else { return self.onIdle() }
        self.state = .working(group)
        self.carryOn(group)
    }

    private func fill(_ group: StoreGroup) {
        group.add(self.queue.take(upTo: self.largestGroup - group.tasks.count))
    }

    private func carryOn(_ group: StoreGroup) {
        if let task = self.carryOutAll(of: group) { return self.fetch(task, of: group) }
        guard self.isIndexingDue else { return self.commit(group) }
        // It reads much, so nothing behind it could be prepared.
        self.isIndexingDue = false
        group.add([StoreTask(IndexMessages(.cached)) { _ in }])
        self.carryOn(group)
    }

    /// One request after the other. The one that needs rows which are not there, if there is one.
    private func carryOutAll(of group: StoreGroup) -> Int? {
        while let task = group.current {
            guard self.carryOut(task, of: group) else { return task }
            self.replay.log = ReplayLog()
        }
        return nil
    }

    /// False when rows have to be fetched first.
    private func carryOut(_ task: Int, of group: StoreGroup) -> Bool {
        if let error = group.refusal(of: task) {
            group.ended(.failed(error))
            return true
        }
        self.replay.rewind()
        self.replay.log.isCareful = group.isCareful(task)
        switch group.tasks[task].perform(self.tables) {
        case .performed(let complete):
            self.send(task, of: group)
            group.uses(self.cache.takeUsed())
            group.ended(.performed(complete))
        case .failed(ReplayConnection.notFetched):
            self.cache.restoreUsed()
            return false
        case .failed(let error):
            self.cache.restoreUsed()
            if self.replay.log.hasSentWrites {
                self.tell("ROLLBACK TO SAVEPOINT request", [], task, of: group)
                self.replay.memory = GroupMemory()
            }
            group.ended(.failed(error))
        }
        return true
    }

    private func fetch(_ task: Int, of group: StoreGroup) {
        let needsSavepoint = self.replay.log.hasUnsentWrites && !self.replay.log.hasSentWrites
        self.send(task, of: group, savepoint: needsSavepoint)
        self.tellGathered(group)
        self.connection?.synchronize { [weak self] _ in
            guard let self else { return }
            if let failure = group.failure { return self.rollBack(group, failure) }
            self.carryOn(group)
        }
    }

    // MARK: - What the database is told

    /// What a request has said since the last time.
    private func send(_ task: Int, of group: StoreGroup, savepoint: Bool = false) {
        guard self.replay.log.sent < self.replay.log.steps.count else { return }
        self.begin(group, task)
        if self.replay.log.hasUnsentWrites, !group.writes {
            group.writes = true
            let values: [PostgresValue] = [.text(self.name), .integer(self.nextNumber)]
            self.tell("SELECT begin_group($1, $2)", values, task, of: group)
        }
        if savepoint { self.tell("SAVEPOINT request", [], task, of: group) }
        for place in self.replay.log.sent..<self.replay.log.steps.count { self.send(place, task, of: group) }
        self.replay.log.sent = self.replay.log.steps.count
    }

    /// Of the group that is carried out. The one before it has not been counted while it is committed.
    private var nextNumber: Int64 {
        if self.held != nil, case .unsettled = self.state { self.number + 2 } else { self.number + 1 }
    }

    private func begin(_ group: StoreGroup, _ task: Int) {
        guard !group.hasBegun else { return }
        group.hasBegun = true
        self.tell("BEGIN ISOLATION LEVEL SERIALIZABLE", [], task, of: group)
    }

    private func send(_ place: Int, _ task: Int, of group: StoreGroup) {
        let step = self.replay.log.steps[place]
        guard step.rows == nil else { return }
        if group.gathers, self.gather(step, task, of: group) { return }
        let sql = PostgresStatements.text(of: step.sql, changesOne: step.kind == .changesOne)
        let values = step.values.map { PostgresValue($0) }
        guard step.kind.isAwaited else { return self.tell(sql, values, task, of: group) }
        self.tellGathered(group)
        self.say(sql, values) { [weak self] result in
            switch result {
            case .success(let rows): self?.answered(place, rows)
            case .failure(let error): group.failed(error, at: task)
            }
        }
    }

    private func answered(_ place: Int, _ rows: PostgresRows) {
        self.replay.log.steps[place].rows = rows
        let step = self.replay.log.steps[place]
        if step.kind == .reads { self.replay.memory?.remember(rows, for: step.sql, step.values) }
    }

    /// True when it waits for others of its like, and is told with them.
    private func gather(_ step: ReplayLog.Step, _ task: Int, of group: StoreGroup) -> Bool {
        let changesOne = step.kind == .changesOne
        guard !step.kind.isAwaited, let form = PostgresStatements.gathered(step.sql, changesOne: changesOne) else {
            return false
        }
        let sql = PostgresStatements.text(of: step.sql, changesOne: changesOne)
        if self.gathered.add(step.values, to: sql, form, of: task) { return true }
        self.tellGathered(group)
        return self.gathered.add(step.values, to: sql, form, of: task)
    }

    private func tellGathered(_ group: StoreGroup) {
        for told in self.gathered.takeAll() { self.tell(told.sql, told.values, told.task, of: group) }
    }

    private func tell(_ sql: String, _ values: [PostgresValue], _ task: Int, of group: StoreGroup) {
        if !self.gathered.isEmpty { self.tellGathered(group) }
        self.say(sql, values) { result in
            if case .failure(let error) = result { group.failed(error, at: task) }
        }
    }

    private func say(
        _ sql: String, _ values: [PostgresValue], _ heard: @escaping (Result<PostgresRows, PostgresError>) -> Void
    ) {
        guard self.held == nil else {
            self.held?.append(HeldStatement(sql: sql, values: values, heard: heard))
            return
        }
        self.connection?.send(sql, values, heard)
    }
}

// MARK: - The next group

extension WritingLane {
    /// Carries out what waits while a group is committed, as far as that needs no rows.
    private func prepare() {
        self.held = self.held ?? []
        let group = self.next ?? StoreGroup()
        self.next = group
        guard !self.isStalled else { return }
        self.fill(group)
        self.isStalled = self.carryOutAll(of: group) != nil
        // Nothing of that request was said, so it begins anew.
        if self.isStalled { self.replay.log = ReplayLog() }
    }

    /// What was held back leaves.
    private func release() {
        guard let connection = self.connection else { return self.forgetPreparation() }
        if self.isSweepDue { self.sweep(on: connection) }
        let statements = self.held ?? []
        self.held = nil
        self.isStalled = false
        for statement in statements { connection.send(statement.sql, statement.values, statement.heard) }
        if let next = self.next { self.tellGathered(next) }
    }

    /// It rested on a commit that has not happened.
    private func forgetPreparation() {
        self.held = nil
        self.isStalled = false
        guard let next = self.next else { return }
        next.restart()
        self.startAnew()
    }

    private func startAnew() {
        self.replay.log = ReplayLog()
        self.replay.memory = GroupMemory()
        self.gathered = GatheredWrites()
        self.forget()
    }
}

// MARK: - The end of a group

extension WritingLane {
    private func commit(_ group: StoreGroup) {
        if !group.used.isEmpty { self.compare(group) }
        guard group.hasBegun else { return self.finish(group) }
        let start = self.clock.now
        self.tell("COMMIT", [], group.tasks.count, of: group)
        // From here on it may have happened, whatever becomes of the connection.
        if group.writes { self.state = .unsettled(group) }
        self.connection?.synchronize { [weak self] error in
            guard let self else { return }
            if let error { group.failed(error, at: group.tasks.count) }
            self.state = .working(group)
            if let failure = group.failure { return self.rollBack(group, failure) }
            if group.writes { self.committed(since: start) }
            self.finish(group)
        }
        self.replay.memory = GroupMemory()
        self.prepare()
    }

    /// What is remembered of a conversation holds only if nobody else has changed it.
    private func compare(_ group: StoreGroup) {
        self.begin(group, group.tasks.count)
        self.tellGathered(group)
        let values: [PostgresValue] = [
            .integers(group.used.map(\.key.number)), .integers(group.used.map { $0.version ?? -1 }),
        ]
        self.connection?.send("SELECT conversation_versions($1, $2)", values) { [weak self] result in
            switch result {
            case .success(let rows): self?.learn(group, rows.text(0, 0) ?? "")
            case .failure(let error): group.failed(error, at: group.tasks.count)
            }
        }
    }

    private func learn(_ group: StoreGroup, _ text: String) {
        let versions = text.split(separator: ",").compactMap { Int64($0) }
        guard versions.count == group.used.count else { return self.forget() }
        for (record, version) in zip(group.used, versions) { record.version = version }
    }

    private func forget() {
        self.cache.forget()
        _ = self.cache.takeUsed()
    }

    private func committed(since start: UInt64) {
        self.number += 1
        self.metrics?.commits.observe(.milliseconds(Int64(self.clock.now - start)))
    }

    private func finish(_ group: StoreGroup) {
        self.release()
        group.answer()
        self.state = .idle
        self.cache.trim()
        _ = self.cache.takeUsed()
        if self.cache.takeIndexing() { self.isIndexingDue = true }
        self.start()
    }

    private func rollBack(_ group: StoreGroup, _ failure: (task: Int, error: PostgresError)) {
        self.connection?.send("ROLLBACK", []) { _ in }
        self.connection?.synchronize { [weak self] _ in
            self?.decide(group, failure)
        }
    }

    /// What becomes of a group that was not committed.
    private func decide(_ group: StoreGroup, _ failure: (task: Int, error: PostgresError)) {
        let error = StoreError(failure.error, database: self.database)
        switch failure.error.reason {
        case _ where failure.error.isConflict || failure.task == group.tasks.count:
            let first = group.conflicted(at: self.clock.now)
            guard group.conflicts <= Self.conflicts || self.clock.now - first < Self.milliseconds else {
                return self.giveUp(group, error)
            }
        case _ where group.gathers && (failure.error.isAboutStatement || failure.error.reason == .unique):
            // Whose row it was is seen when each is told by itself.
            group.gathers = false
        case .unique: group.collided(error, at: failure.task)
        case _ where failure.error.isAboutStatement:
            group.broke(error, at: failure.task)
        default: return self.giveUp(group, error)
        }
        self.carryOutAgain(group)
    }

    /// Nothing of it has happened.
    private func carryOutAgain(_ group: StoreGroup) {
        self.forgetPreparation()
        self.startAnew()
        self.state = .working(group)
        group.restart()
        self.carryOn(group)
    }

    private func giveUp(_ group: StoreGroup, _ error: StoreError) {
        self.metrics?.failures.increment()
        self.forgetPreparation()
        self.startAnew()
        self.state = .idle
        group.refuse(error)
        self.start()
    }

    /// Looks whether a commit happened whose answer never came. The row of the lane waits for a backend that is still
    /// at it.
    private func settle(_ group: StoreGroup) {
        var found: Result<Int64?, PostgresError> = .success(nil)
        self.connection?.send("SELECT number FROM lanes WHERE name = $1 FOR UPDATE", [.text(self.name)]) { result in
            found = result.map { rows in rows.count == 1 ? rows.integer(0, 0) : nil }
        }
        self.connection?.synchronize { [weak self] _ in
            guard let self else { return }
            self.settled(group, found)
        }
    }

    private func settled(_ group: StoreGroup, _ found: Result<Int64?, PostgresError>) {
        switch found {
        case .success(nil):
            if let connection = self.connection { self.makeRow(on: connection) }
            self.giveUp(group, StoreError(.unreachable, database: self.database, detail: LaneSweep.forgotten))
        case .success where self.isForgotten:
            self.giveUp(group, StoreError(.unreachable, database: self.database, detail: LaneSweep.forgotten))
        case .success(self.number + 1):
            self.number += 1
            self.finish(group)
        case .success: self.carryOutAgain(group)
        case .failure:
            // Whoever holds the row has not ended yet.
            self.clock.schedule(after: .milliseconds(200)) { [weak self] in
                guard let self, case .unsettled(let group) = self.state, self.connection != nil else { return }
                self.settle(group)
            }
        }
    }
}

// MARK: - Rows of lanes that are no more

extension WritingLane {
    /// Every lane says from time to time that it is still there, and removes those that have not for long.
    private func sweepLater() {
        self.sweepTimer.map { self.clock.cancel($0) }
        self.sweepTimer = self.clock.schedule(after: LaneSweep.every) { [weak self] in
            self?.isSweepDue = true
            self?.start()
        }
    }

    /// Between two groups, in a transaction of its own.
    private func sweep(on connection: PostgresConnection) {
        self.isSweepDue = false
        connection.send(LaneSweep.seen, [.text(self.name)]) { _ in }
        connection.send(LaneSweep.remove, []) { _ in }
        connection.sync { [weak self] error in
            if error != nil { self?.metrics?.failures.increment() }
        }
        self.sweepLater()
    }
}
