package import Keeping
package import PostgresLink
package import SQLTables

/// The tables in a PostgreSQL, as one end of a move. What is written is one transaction: a move that is interrupted has not
/// happened.
package final class MovableTables: MovableDatabase {
    private let session: WaitingSession
    package var connection: any SQLConnection { self.session }
    package let words: any SearchTable

    private static let name = "parley move"

    private init(_ session: WaitingSession) {
        self.session = session
        self.words = TSVectorTable(session)
    }

    /// Everything as it is at this moment, in its newest form.
    package static func source(_ address: PostgresAddress) throws(StoreError) -> MovableTables {
        let session = try WaitingSession(address, named: self.name)
        try session.demandTables()
        try self.prepare(session)
        try session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try session.settle()
        return MovableTables(session)
    }

    /// Whoever else would write waits until it is over. A row that is copied changes nothing, so no trigger hears of it, and
    /// the index of words is built at once when all of them are there.
    package static func target(_ address: PostgresAddress, _ tables: [SchemaTable]) throws(StoreError) -> MovableTables
    {
        let session = try WaitingSession(address, named: self.name)
        try self.prepare(session)
        try session.run("BEGIN")
        try session.run("LOCK TABLE \(tables.map(\.name).joined(separator: ", ")), words IN EXCLUSIVE MODE")
        for table in tables { try session.run("ALTER TABLE \(table.name) DISABLE TRIGGER USER") }
        try session.run("DROP INDEX words_by_word")
        try session.settle()
        return MovableTables(session)
    }

    /// In its newest form, and nobody else's.
    private static func prepare(_ session: WaitingSession) throws(StoreError) {
        try self.demandAlone(session)
        try session.migrate()
    }

    /// The sessions of a server that has just ended take a moment to go.
    private static func demandAlone(_ session: WaitingSession) throws(StoreError) {
        let others = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley'
            """
        for _ in 0..<self.looks {
            if try session.number(others) == 0 { return }
            try session.run("SELECT pg_sleep(0.1)")
        }
        throw StoreError(.busy, database: session.database, detail: "a server works with it")
    }

    private static let looks = 20

    package func lastNumber(of table: SchemaTable) throws(StoreError) -> Int64? {
        try self.session.number("SELECT pg_sequence_last_value(\(Self.sequence))", Self.names(table))
    }

    package func setLastNumber(_ number: Int64, of table: SchemaTable) throws(StoreError) {
        try self.session.run("SELECT setval(\(Self.sequence), ?)", Self.names(table) + [.integer(number)])
    }

    private static let sequence = "CAST(pg_get_serial_sequence(?, ?) AS REGCLASS)"

    private static func names(_ table: SchemaTable) -> [SQLValue] {
        [.text(table.name), .text(table.keyNames.first)]
    }

    package func portionEnded() {}

    package func finish(_ tables: [SchemaTable]) throws(StoreError) {
        try self.session.run(PostgresDialect.indexOfWords)
        for table in tables {
            try self.session.run("ALTER TABLE \(table.name) ENABLE TRIGGER USER")
            // So that the planner knows at once what there is.
            try self.session.run("ANALYZE \(table.name)")
        }
        try self.session.settle()
        try self.commit()
    }

    /// What becomes of a commit whose answer is lost, the next attempt sees.
    private func commit() throws(StoreError) {
        do throws(StoreError) {
            try self.session.run("COMMIT")
            try self.session.settle()
        } catch {
            let detail = "\(error.detail); begin again: where the target is said to have data by then, it has all of it"
            throw StoreError(.other(code: 0), database: error.database, detail: detail)
        }
    }
}
