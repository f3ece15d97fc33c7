import PostgresLink
import SQLTables
import Testing

@testable import PostgresStore

@Suite("Writes of many rows")
struct GatheredWritesTests {
    private static func statement(_ sql: String) throws -> GatheredStatement { try #require(GatheredStatement(sql)) }

    @Test("X20.gathered insert rows from arrays, and what none of them has is NULL")
    func insert() throws {
        let statement = try Self.statement("INSERT INTO entries (id, sender, body) VALUES ($1, $2, $3)")
        let told = statement.statement(for: [
            [.integer(1), .text("ann"), .null], [.integer(2), .null, .null],
        ])
        #expect(
            told.sql.trimmingSpaces == """
                INSERT INTO entries (id, sender, body) SELECT gathered.v1, gathered.v2, NULL \
                FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[])) AS gathered (v1, v2)
                """)
        #expect(told.values == [.integers([1, 2]), .texts(["ann", nil])])
        #expect(statement.key == nil)
    }

    @Test("X20.gathered change rows by their keys")
    func update() throws {
        let statement = try Self.statement(
            "UPDATE members SET role = $1, read = $2\nWHERE conversation = $3 AND \"user\" = $4")
        let told = statement.statement(for: [[.integer(0), .null, .integer(7), .text("ann")]])
        #expect(
            told.sql == """
                UPDATE members SET role = gathered.v1, read = NULL \
                FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[])) AS gathered (v1, v2, v3) \
                WHERE conversation = gathered.v2 AND "user" = gathered.v3
                """)
        #expect(statement.key == [2, 3])
    }

    @Test("X20.gathered replace rows by their keys, where all else is replaced")
    func replacement() throws {
        let sql = """
            INSERT INTO t (a, b, c) VALUES ($1, CAST($2 AS TEXT), $3)
            ON CONFLICT (a) DO UPDATE SET b = excluded.b, c = excluded.c
            """
        #expect(try Self.statement(sql).key == [0])
    }

    @Test("X20.gathered insert rows under a condition that looks at no row of theirs")
    func conditionalInsert() throws {
        let statement = try Self.statement("INSERT INTO pushes (entry) SELECT $1 WHERE EXISTS (SELECT 1 FROM devices)")
        #expect(
            statement.statement(for: [[.integer(1)], [.integer(2)]]).sql.trimmingSpaces == """
                INSERT INTO pushes (entry) SELECT gathered.v1 FROM unnest(CAST($1 AS BIGINT[])) AS gathered (v1) \
                WHERE EXISTS (SELECT 1 FROM devices)
                """)
        #expect(statement.key == nil)
    }

    @Test(
        "X20.gathered are told one by one where a row's own values matter",
        arguments: [
            "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO UPDATE SET b = t.b + excluded.b",
            "INSERT INTO t (a, b, c) VALUES ($1, $2, $3) ON CONFLICT (a) DO UPDATE SET b = excluded.b",
            "UPDATE t SET a = a + $1 WHERE b = $2", "UPDATE t SET a = $1 WHERE b = $2 AND c > $3",
            "UPDATE t SET a = NULL WHERE b = $1", "DELETE FROM t WHERE a = $1",
            "INSERT INTO t (a) SELECT $1 WHERE TRUE",
        ])
    func single(_ sql: String) { #expect(GatheredStatement(sql) == nil) }

    @Test("X20.gathered leave table by table; of two writes to one row the later counts")
    func order() throws {
        let (first, second) = ("INSERT INTO a (x) VALUES ($1)", "UPDATE b SET y = $1 WHERE z = $2")
        let (insert, update) = (try Self.statement(first), try Self.statement(second))
        var (writes, wasAdded) = (GatheredWrites(), false)
        wasAdded = writes.add([.integer(1)], to: first, insert, of: 0)
        #expect(wasAdded)
        wasAdded = writes.add([.integer(5), .integer(9)], to: second, update, of: 0)
        #expect(wasAdded)
        wasAdded = writes.add([.integer(2)], to: first, insert, of: 1)
        #expect(wasAdded)
        wasAdded = writes.add([.integer(6), .integer(9)], to: second, update, of: 1)
        #expect(wasAdded)
        let told = writes.takeAll()
        #expect(told.map(\.values) == [[.integers([1, 2])], [.integer(6), .integer(9)]])
        #expect(told.last?.sql == second)
        #expect(writes.isEmpty)
    }

    @Test("X20.gathered wait for nothing else of their table")
    func otherStatement() throws {
        let (first, second) = ("INSERT INTO a (x) VALUES ($1)", "UPDATE a SET x = $1 WHERE x = $2")
        var (writes, wasAdded) = (GatheredWrites(), false)
        wasAdded = writes.add([.integer(1)], to: first, try Self.statement(first), of: 0)
        #expect(wasAdded)
        wasAdded = writes.add([.integer(2), .integer(1)], to: second, try Self.statement(second), of: 0)
        #expect(!wasAdded)
    }
}

extension String {
    fileprivate var trimmingSpaces: String { String(self.reversed().drop { $0 == " " }.reversed()) }
}
