internal import Keeping
internal import PostgresLink
internal import Reactor
internal import SQLTables
internal import System

/// A session of a program that does one thing after the other and may wait for each: a move, or a check. Never for a server.
///
/// What changes rows leaves in portions, while the next one is made; an error in it is thrown by what follows.
final class WaitingSession {
    private struct Step: Sendable {
        let sql: String
        let values: [SQLValue]
    }

    /// What a portion came to; whoever waited for its gate alone looks into it.
    private final class Portion: @unchecked Sendable {
        // Unchecked because the gate opens behind the last write, and is waited for before the first read.
        let gate = Gate()
        var rows: PostgresRows?
        var error: PostgresError?
    }

    private let loop: EventLoop
    private let ends: LoopBound<Ends>
    let database: String
    private var steps: [Step] = []
    private var underWay: Portion?
    private var failure: StoreError?
    private var isClosed = false

    private static let portion = 200

    /// Comes back when the session is there, or throws why it is not.
    init(_ address: PostgresAddress, named name: String) throws(StoreError) {
        self.database = "\(address)"
        self.ends = LoopBound()
        do throws(ReactorError) {
            self.loop = try EventLoop()
        } catch {
            throw StoreError(.other(code: 0), database: self.database, detail: "\(error)")
        }
        let opened = Portion()
        self.loop.execute { [ends] reactor in
            ends.value = Ends(address, Self.options(name), on: reactor) { error in
                opened.error = error
                opened.gate.open()
            }
        }
        opened.gate.wait()
        guard let error = opened.error else { return }
        self.close()
        throw StoreError(error, database: self.database)
    }

    deinit { self.close() }

    /// What is done takes as long as it takes.
    private static func options(_ name: String) -> PostgresOptions {
        var options = PostgresOptions()
        options.applicationName = name
        options.searchPath = Schema.name
        options.statementTimeout = nil
        options.lockTimeout = .seconds(10)
        options.idleInTransactionTimeout = nil
        options.answerTimeout = nil
        options.pinsPlans = false
        return options
    }

    /// What was not committed never happened.
    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.loop.execute { [ends] reactor in
            ends.value?.close()
            ends.value = nil
            reactor.shutDown()
        }
        self.loop.join()
    }

    /// Throws where no server of ours was ever started with this database.
    func demandTables() throws(StoreError) {
        let isOurs = "SELECT 1 FROM pg_class WHERE oid = to_regclass('\(Schema.name).versions')"
        guard try self.exists(isOurs) else {
            throw StoreError(.constraint, database: self.database, detail: "it has no tables of Parley")
        }
    }

    /// The tables in the form this program knows, as a server makes them at its start.
    func migrate() throws(StoreError) {
        let outcome = Locked<Result<Void, StoreError>>(.success(()))
        let gate = Gate()
        let database = self.database
        self.loop.execute { [ends] _ in
            guard let connection = ends.value?.connection else { return gate.open() }
            Schema.prepare(on: connection, .full, of: database) { result in
                outcome.withLock { $0 = result }
                gate.open()
            }
        }
        gate.wait()
        try outcome.withLock(\.self).get()
    }
}

// MARK: - Asking

extension WaitingSession: SQLConnection {
    func query(
        _ sql: String, _ values: [SQLValue], _ show: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard let rows = try self.ask(sql, values) else { return }
        let row = FetchedRow(rows, of: self.database)
        while row.next(), try show(row) {}
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        self.steps.append(Step(sql: sql, values: values))
        guard self.steps.count >= Self.portion else { return }
        let next = self.send()
        try self.wait()
        self.underWay = next
    }

    func changesOne(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Bool {
        try self.ask(sql, values)?.changed == 1
    }

    var snapshotQuery: String? { PostgresDialect.transactionSnapshot }

    /// All that was said before is done when it comes back.
    func settle() throws(StoreError) {
        let last = self.steps.isEmpty ? nil : self.send()
        try self.wait()
        self.underWay = last
        try self.wait()
    }

    private func ask(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> PostgresRows? {
        self.steps.append(Step(sql: sql, values: values))
        let portion = self.send()
        try self.wait()
        self.underWay = portion
        try self.wait()
        return portion.rows
    }

    /// What came of the portion before; its errors, and everything behind one, are thrown.
    private func wait() throws(StoreError) {
        if let failure = self.failure { throw failure }
        guard let portion = self.underWay.take() else { return }
        portion.gate.wait()
        guard let error = portion.error else { return }
        let failure = StoreError(error, database: self.database)
        self.failure = failure
        throw failure
    }

    /// Hands over what was gathered; the rows are those of the last step.
    private func send() -> Portion {
        let (portion, steps) = (Portion(), self.steps)
        self.steps = []
        self.loop.execute { [ends] _ in
            guard let connection = ends.value?.connection else {
                portion.error = PostgresError(.broken, "the connection is gone")
                return portion.gate.open()
            }
            for step in steps {
                let sql = PostgresStatements.text(of: step.sql)
                connection.send(sql, step.values.map { PostgresValue($0) }) { result in
                    if case .success(let rows) = result { portion.rows = rows }
                }
            }
            connection.sync { error in
                portion.error = error
                portion.gate.open()
            }
        }
        return portion
    }
}

/// The connection of a session, on its loop. It does not come back when it breaks.
private final class Ends {
    private let link: PostgresLink
    private var opened: ((PostgresError?) -> Void)?
    var connection: PostgresConnection? { self.link.connection }

    init(
        _ address: PostgresAddress, _ options: PostgresOptions, on reactor: Reactor,
        _ opened: @escaping (PostgresError?) -> Void
    ) {
        self.link = PostgresLink(address, options, on: reactor)
        self.opened = opened
        self.link.onUp = { [weak self] _ in self?.answer(nil) }
        self.link.onDown = { [weak self] error, _ in
            self?.link.close()
            self?.answer(error)
        }
        self.link.start()
    }

    func close() { self.link.close() }

    private func answer(_ error: PostgresError?) {
        self.opened?(error)
        self.opened = nil
    }
}
