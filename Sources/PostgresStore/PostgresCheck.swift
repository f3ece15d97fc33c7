package import Keeping
package import PostgresLink
internal import SQLTables
package import Vocabulary

/// Looks through a store that may be in use, as it is at one moment, and says what is not as it should be.
package final class PostgresCheck {
    private let session: WaitingSession

    /// Nothing in the database is changed, so it has to have the form that this program knows.
    package init(_ address: PostgresAddress) throws(StoreError) {
        self.session = try WaitingSession(address, named: "parley check")
        try self.session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try self.session.settle()
        try self.demandForm()
    }

    private func demandForm() throws(StoreError) {
        try self.session.demandTables()
        let versions = try self.session.first("SELECT shared, own FROM versions") { ($0.integer(0), $0.integer(1)) }
        let (shared, own) = versions ?? (0, 0)
        let known = (Int64(PostgresMigrations.all.count), Int64(PostgresMigrations.own.count))
        guard shared <= known.0, own <= known.1 else {
            throw StoreError(.tooNew(version: Int(shared)), database: self.session.database, detail: "")
        }
        guard (shared, own) == known else {
            let detail = "its tables have an older form; the next start of the server brings them to the newest"
            throw StoreError(.constraint, database: self.session.database, detail: detail)
        }
    }

    /// Nothing when all is well.
    package func findings() throws(StoreError) -> [String] { try StoreInvariants.findings(in: self.session) }

    /// What has to lie in the folder of files, and how large each is.
    package func contents() throws(StoreError) -> [ContentHash: Int] {
        try StoreInvariants.contents(in: self.session)
    }
}
