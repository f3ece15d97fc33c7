import SQLTables
import Testing

@testable import PostgresStore

@Suite("Statements in the words of PostgreSQL")
struct PostgresDialectTests {
    @Test("count their values, by their order or by their number")
    func places() {
        #expect(PostgresDialect.statement("a = ? AND b > ? LIMIT ?") == "a = $1 AND b > $2 LIMIT $3")
        #expect(PostgresDialect.statement("a = ?2 OR b = ?1") == "a = $2 OR b = $1")
    }

    @Test("quote what is a word of the language, drop hints and fold letters as the other engine does")
    func words() {
        #expect(PostgresDialect.statement("SELECT user FROM users u") == "SELECT \"user\" FROM users u")
        #expect(PostgresDialect.statement("FROM outbox INDEXED BY waiting WHERE") == "FROM outbox WHERE")
        #expect(
            PostgresDialect.statement("name COLLATE NOCASE > ? ORDER BY name COLLATE NOCASE LIMIT ?")
                == "lower(name) > $1 ORDER BY lower(name) LIMIT $2")
    }

    @Test("leave nothing in a migration that only SQLite understands")
    func migrations() {
        for script in PostgresMigrations.all {
            for word in ["INTEGER", "BLOB", "STRICT", "ROWID", "AUTOINCREMENT", "VIRTUAL", "NOCASE", "INSERT OR"] {
                #expect(!script.contains(word), "\(word) in \(script)")
            }
        }
    }
}
