package import Keeping
package import SQLTables

/// A database file that nobody else has open, as one end of a move.
package final class MovableFile: MovableDatabase {
    private let file: Connection
    package var connection: any SQLConnection { self.file }
    package let words: any SearchTable

    private init(_ file: Connection) {
        self.file = file
        self.words = FTS5Table(file)
    }

    /// Everything as it is at this moment, in its newest form.
    package static func source(_ path: String) throws(StoreError) -> MovableFile {
        let file = try Connection(path: path)
        try file.demandSound()
        try file.migrate(Migration.all)
        try file.run("PRAGMA query_only = ON")
        try file.run("BEGIN")
        return MovableFile(file)
    }

    /// A new file. What is written goes to the disk in portions, so it is not to be taken for a database before it is finished.
    package static func target(_ path: String) throws(StoreError) -> MovableFile {
        let file = try Connection(path: path, durability: .normal)
        try file.migrate(Migration.all)
        try file.run("BEGIN IMMEDIATE")
        return MovableFile(file)
    }

    package func lastNumber(of table: SchemaTable) throws(StoreError) -> Int64? {
        // A statement that might have written a row, and wrote none, leaves a 0.
        try self.file.number("SELECT seq FROM sqlite_sequence WHERE name = ? AND seq > 0", [.text(table.name)])
    }

    package func setLastNumber(_ number: Int64, of table: SchemaTable) throws(StoreError) {
        try self.file.run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table.name)])
        try self.file.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(table.name), .integer(number)])
    }

    package func portionEnded() throws(StoreError) {
        self.portions += 1
        guard self.portions.isMultiple(of: Self.portionsOfCommit) else { return }
        try self.file.run("COMMIT")
        try self.file.run("BEGIN IMMEDIATE")
    }

    private var portions = 0
    private static let portionsOfCommit = 20

    /// All of it is in the one file, and on the disk.
    package func finish() throws(StoreError) {
        try self.file.run("COMMIT")
        try self.file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
