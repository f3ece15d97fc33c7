import SQLTables
import Testing

@testable import PostgresStore

@Suite("What a group remembers of what it read")
struct GroupMemoryTests {
    @Test(
        "X20.remembered knows the tables of a statement",
        arguments: [
            ("SELECT 1 FROM push_devices LIMIT 1", ["push_devices"]),
            ("SELECT a FROM members m JOIN conversations c ON c.number = m.number", ["members", "conversations"]),
            ("SELECT 1 FROM (SELECT sender FROM entries WHERE id = ?) AS latest", ["SELECT", "entries"]),
            ("INSERT INTO words (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET words = ?", ["words", "SET"]),
            ("UPDATE members SET read = ?", ["members"]), ("DELETE FROM blocks WHERE user = ?", ["blocks"]),
        ])
    func tables(_ sql: String, _ tables: [String]) { #expect(PostgresStatements.tables(of: sql) == tables) }
}
