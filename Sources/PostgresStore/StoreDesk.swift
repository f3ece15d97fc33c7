internal import Keeping
internal import PostgresLink
internal import Reactor
internal import Vocabulary

/// The inside of the store, on its loop: one lane that writes, readers beside it, and what becomes of requests while the
/// database is away.
final class StoreDesk {
    private let database: String
    private let durability: StoreDurability
    private let reactor: Reactor
    private let lane: WritingLane
    private var readers: [SnapshotReader] = []
    private var reading: TaskQueue
    private var links: [PostgresLink] = []
    private var whenClosed: (() -> Void)?
    private var whenOpened: ((StoreError?) -> Void)?
    private var isAway = false
    private var awayTimer: TimerToken?
    private let heard: (StoreEvent) -> Void
    private var isLost = false
    private var promise: StorePromise?
    private var promiseTimer: TimerToken?

    private static let readerCount = 2
    /// So long requests wait for a database that is away; then they are refused until it is back.
    private static let timeout = Duration.seconds(10)
    /// A standby comes and goes without a word to us.
    private static let promiseInterval = Duration.seconds(10)

    init(
        _ address: PostgresAddress, _ settings: StoreSettings, _ durability: StoreDurability, _ metrics: StoreMetrics?,
        largestGroup: Int,
        on reactor: Reactor, heard: @escaping (StoreEvent) -> Void, _ opened: @escaping (StoreError?) -> Void
    ) {
        self.heard = heard
        self.database = "\(address)"
        self.durability = durability
        self.reactor = reactor
        self.whenOpened = opened
        self.reading = TaskQueue(of: self.database, metrics?.waiting)
        var random = SystemRandomNumberGenerator()
        self.lane = WritingLane(
            RandomToken(using: &random).text, of: self.database, settings, metrics, largestGroup: largestGroup,
            on: reactor)
        self.lane.onIdle = { [weak self] in self?.mayEnd() }
        self.connectLane(address)
        self.readers = (0..<Self.readerCount).map { _ in self.reader(settings) }
        for reader in self.readers { self.connect(reader, address) }
    }

    func post(_ task: StoreTask) {
        guard self.whenClosed == nil else {
            return task.refuse(StoreError(.closed, database: self.database, detail: ""))
        }
        guard !self.isAway else { return task.refuse(self.unreachable) }
        // Those who write can read as well.
        guard task.access.usesReader, self.readers.contains(where: \.isUp) else { return self.lane.post(task) }
        self.reading.append(task)
        for reader in self.readers where reader.isIdle { reader.wake() }
    }

    func close(_ closed: @escaping () -> Void) {
        self.whenClosed = closed
        self.mayEnd()
    }

    /// Closed when all that was asked before is answered.
    private func mayEnd() {
        guard let closed = self.whenClosed else { return }
        guard self.isAway || self.lane.isIdle && self.reading.isEmpty && self.readers.allSatisfy(\.isIdle) else {
            return
        }
        self.whenClosed = nil
        self.promiseTimer.map { self.reactor.cancel($0) }
        for link in self.links { link.close() }
        closed()
    }

    private var options: PostgresOptions {
        var options = PostgresOptions()
        options.searchPath = Schema.name
        return options
    }

    private var unreachable: StoreError {
        StoreError(.unreachable, database: self.database, detail: "the database does not answer")
    }
}

// MARK: - Connections

extension StoreDesk {
    private func connectLane(_ address: PostgresAddress) {
        let link = PostgresLink(address, self.options, on: self.reactor)
        link.onUp = { [weak self] connection in self?.isUp(connection) }
        link.onDown = { [weak self] error, _ in
            self?.lane.down()
            self?.isDown(error)
        }
        self.start(link)
    }

    private func isUp(_ connection: PostgresConnection) {
        self.awayTimer.map { self.reactor.cancel($0) }
        self.awayTimer = nil
        Schema.prepare(on: connection, self.durability, of: self.database) { [weak self] result in
            switch result {
            case .success: self?.isReady(connection)
            case .failure(let error): self?.opened(error)
            }
        }
    }

    private func isReady(_ connection: PostgresConnection) {
        self.askForPromise(on: connection) { [weak self] in
            guard let self else { return }
            self.isAway = false
            self.lane.up(connection)
            self.opened(nil)
            if self.isLost { self.heard(.back) }
            self.isLost = false
        }
    }

    private func opened(_ error: StoreError?) {
        self.whenOpened?(error)
        self.whenOpened = nil
    }

    private func isDown(_ error: PostgresError) {
        guard self.whenOpened == nil else { return self.opened(StoreError(error, database: self.database)) }
        if !self.isLost { self.heard(.lost(StoreError(error, database: self.database).description)) }
        self.isLost = true
        guard self.awayTimer == nil, !self.isAway else { return }
        self.awayTimer = self.reactor.schedule(after: Self.timeout) { [weak self] in self?.giveUpWaiting() }
    }

    private func giveUpWaiting() {
        self.awayTimer = nil
        self.isAway = true
        self.lane.refuseWaiting(self.unreachable)
        self.reading.refuseAll(self.unreachable)
        self.mayEnd()
    }

    private func isDown(_ reader: SnapshotReader) {
        if let task = reader.down() { self.lane.post(task) }
        guard !self.readers.contains(where: \.isUp) else { return }
        for task in self.reading.take(upTo: .max) { self.lane.post(task) }
    }

    private func reader(_ settings: StoreSettings) -> SnapshotReader {
        SnapshotReader(of: self.database, settings) { [weak self] in
            let task = self?.reading.take(upTo: 1).first
            if task == nil { self?.mayEnd() }
            return task
        }
    }

    private func connect(_ reader: SnapshotReader, _ address: PostgresAddress) {
        let link = PostgresLink(address, self.options, on: self.reactor)
        link.onUp = { reader.up($0) }
        link.onDown = { [weak self] _, _ in self?.isDown(reader) }
        self.start(link)
    }

    private func start(_ link: PostgresLink) {
        self.links.append(link)
        link.start()
    }
}

// MARK: - What an acknowledgement is worth

extension StoreDesk {
    /// Calls back when it was answered; when the connection breaks before, the link brings another one.
    private func askForPromise(on connection: PostgresConnection, _ done: @escaping () -> Void) {
        connection.send(DurabilityFacts.question) { [weak self] result in
            // Whoever reads on this connection may have failed; the next time is soon.
            guard case .success(let rows) = result, let facts = DurabilityFacts(rows) else { return }
            self?.learn(facts)
        }
        connection.synchronize { _ in done() }
        self.askAgain()
    }

    /// After a while, on a connection that waits for no commit.
    private func askAgain() {
        self.promiseTimer.map { self.reactor.cancel($0) }
        self.promiseTimer = self.reactor.schedule(after: Self.promiseInterval) { [weak self] in
            guard let self else { return }
            guard let reading = self.links.dropFirst().first(where: \.isUp)?.connection else { return self.askAgain() }
            self.askForPromise(on: reading) {}
        }
    }

    private func learn(_ facts: DurabilityFacts) {
        var facts = facts
        if self.durability == .normal { facts.synchronousCommit = .off }
        let promise = facts.promise(asked: self.durability)
        guard promise != self.promise else { return }
        self.promise = promise
        self.heard(.promise(promise))
    }
}

extension DurabilityFacts {
    /// The answer to `question`.
    fileprivate init?(_ rows: PostgresRows) {
        guard rows.count == 1, let commit = rows.text(0, 0).flatMap({ SynchronousCommit(rawValue: $0) }) else {
            return nil
        }
        self.init(
            synchronousCommit: commit, flushes: rows.text(0, 1) == "on", writesFullPages: rows.text(0, 2) == "on",
            synchronousStandbys: rows.text(0, 3) ?? "", attached: Int(rows.integer(0, 4) ?? 0))
    }
}
