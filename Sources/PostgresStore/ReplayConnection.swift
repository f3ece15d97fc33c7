internal import Keeping
internal import PostgresLink
internal import SQLTables

/// A connection as an operation sees it that is carried out again and again: what was asked before is answered from the
/// log, and the first question that was not ends the attempt. What it writes is put into the log.
///
/// An operation is deterministic, so the next attempt says the same up to there (decision 30).
final class ReplayConnection: SQLConnection {
    var log = ReplayLog()
    /// Of the group whose requests these are; nil where each request is a transaction of its own.
    var memory: GroupMemory?
    private var place = 0
    private let database: String

    init(of database: String) { self.database = database }

    /// Thrown by the first question whose answer is not there yet. It never leaves the engine.
    static let notFetched = StoreError(.other(code: -1), database: "", detail: "rows have to be fetched")

    var snapshotQuery: String? { PostgresDialect.transactionSnapshot }

    /// From the beginning, with what is known.
    func rewind() { self.place = 0 }

    func query(
        _ sql: String, _ values: [SQLValue], _ show: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard let rows = try self.next(sql, values, .reads).rows else { throw Self.notFetched }
        let row = FetchedRow(rows, of: self.database)
        while row.next(), try show(row) {}
    }

    /// All of it leaves with the first question that has no answer yet.
    func willQuery(_ sql: String, _ all: [[SQLValue]]) {
        guard self.place == self.log.steps.count else { return }
        for values in all { self.append(ReplayLog.Step(.reads, sql, values)) }
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) { _ = try self.next(sql, values, .writes) }

    func changesOne(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Bool {
        guard self.log.isCareful else {
            _ = try self.next(sql, values, .changesOne)
            return true
        }
        guard let rows = try self.next(sql, values, .mayChangeOne).rows else { throw Self.notFetched }
        return rows.changed == 1
    }

    private func next(
        _ sql: String, _ values: [SQLValue], _ kind: ReplayLog.Step.Kind
    ) throws(StoreError) -> ReplayLog.Step {
        defer { self.place += 1 }
        if self.place == self.log.steps.count { self.append(ReplayLog.Step(kind, sql, values)) }
        let step = self.log.steps[self.place]
        guard step.kind == kind, step.sql == sql, step.values == values else {
            throw StoreError(.other(code: 0), database: self.database, detail: "a request is not deterministic: \(sql)")
        }
        return step
    }

    private func append(_ new: ReplayLog.Step) {
        var step = new
        if step.kind == .reads {
            step.rows = self.memory?.answer(to: step.sql, step.values)
        } else {
            self.memory?.written(by: step.sql)
        }
        self.log.steps.append(step)
    }
}
