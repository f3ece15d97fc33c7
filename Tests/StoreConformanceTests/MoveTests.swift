import Keeping
import PostgresLink
import SQLiteStore
import TestSupport
import Testing

@testable import PostgresStore
@testable import SQLTables

/// From one engine to the other, with rows in every table and in every column of it.
@Suite("A move from engine to engine")
struct MoveTests {
    private let tables: [SchemaTable]
    private let address: PostgresAddress
    private let server: PostgresServer
    private let name: String
    private let folder: TemporaryFolder

    init() throws {
        self.tables = try SharedSchema.tables()
        self.server = try PostgresServer.shared()
        let url = try self.server.freshDatabase()
        self.address = try PostgresAddress(url)
        self.name = String(url.split(separator: "/").last ?? "")
        self.folder = try TemporaryFolder()
    }

    @Test("X11.tables knows every table and every column that a new database has in both engines")
    func coverage() throws {
        _ = try MovableTables.target(self.address, self.tables)
        let found = try self.server.sql(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'parley'",
            in: self.name)
        let own: Set = ["conversations|version", "conversations|previous"]
        let shared = found.split(separator: "\n").map { String($0) }.filter {
            !own.contains($0)
                && !["duties|", "lanes|", "ledger|", "nodes|", "parcels|", "versions|", "words|"].contains(
                    where: $0.hasPrefix)
        }
        let known = self.tables.flatMap { table in table.columns.map { "\(table.name)|\($0.name)" } }
        #expect(shared.sorted() == known.sorted())
        #expect(self.tables.allSatisfy { !$0.key.isEmpty })
        #expect(self.tables.filter(\.isNumbered).map(\.name) == ["outbox", "pushes"])
    }

    @Test("X11.rows carries what is in every column there and back")
    func rows() throws {
        let first = try self.fill("first.db", rows: 1111)
        let there = try MovableTables.target(self.address, self.tables)
        let report = try StoreCopy(of: self.tables, from: first, to: there).make()
        try there.finish(self.tables)
        #expect(report.tables.map(\.rows) == self.tables.map { _ in 1111 })
        let back = try self.file("back.db")
        let again = try StoreCopy(
            of: self.tables, from: try MovableTables.source(self.address), to: back
        ).make()
        #expect(again.tables.map(\.rows) == report.tables.map(\.rows))
        // And it is what it was, without the copy's own word for it.
        for table in self.tables {
            let sql = "SELECT * FROM \(table.name) ORDER BY \(table.keyNames.joined(separator: ", "))"
            let rows = try [first, back].map { try $0.connection.all(sql, [], table.values) }
            let leftOut = table.place(of: "indexed").flatMap { table.name == "conversations" ? $0 : nil }
            #expect(Self.without(leftOut, rows[0]) == Self.without(leftOut, rows[1]), "\(table.name)")
        }
    }

    @Test("X11.numbers goes on counting where the source was, also behind rows that are gone")
    func numbers() throws {
        let first = try self.file("first.db")
        let outbox = try #require(self.tables.first { $0.name == "outbox" })
        try first.connection.run("INSERT INTO outbox (number, entry) VALUES (41, 1)")
        try first.connection.run("DELETE FROM outbox")
        let there = try MovableTables.target(self.address, self.tables)
        _ = try StoreCopy(of: self.tables, from: first, to: there).make()
        try there.finish(self.tables)
        let sql = "INSERT INTO parley.outbox (entry) VALUES (1) RETURNING number"
        #expect(try self.server.sql(sql, in: self.name).hasPrefix("42"))
        let back = try self.file("back.db")
        _ = try StoreCopy(of: self.tables, from: try MovableTables.source(self.address), to: back).make()
        #expect(try back.lastNumber(of: outbox) == 42)
        try back.connection.run("INSERT INTO outbox (entry) VALUES (1)")
        #expect(try back.connection.number("SELECT max(number) FROM outbox") == 43)
    }

    @Test("X11.triggers leaves the versions of conversations to those who write behind it")
    func triggers() throws {
        let there = try MovableTables.target(self.address, self.tables)
        _ = try StoreCopy(of: self.tables, from: try self.fill("first.db", rows: 3), to: there).make()
        try there.finish(self.tables)
        #expect(try self.server.sql("SELECT sum(version) FROM parley.conversations", in: self.name) == "0")
        try self.server.sql(
            "SET search_path TO parley; UPDATE members SET role = 2 WHERE conversation = 1000", in: self.name)
        let changed = try self.server.sql("SELECT count(*) FROM parley.conversations WHERE version > 0", in: self.name)
        #expect(changed == "1")
    }

    @Test("X11.equal finds a row that was lost, one that was changed, and a conversation that ends early")
    func faults() throws {
        let source = try self.fill("first.db", rows: 5)
        for (fault, expected) in [
            (Fault.loses("audit"), "audit has 5 rows in the source and 4 in the target"),
            (.changes("audit"), "rows of audit are different"),
            (.loses("entries"), "entries has 5 rows in the source and 4 in the target"),
        ] {
            let target = FaultyTarget(try self.file("\(fault).db"), fault)
            let error = #expect(throws: StoreCopy.Trouble.self) {
                _ = try StoreCopy(of: self.tables, from: source, to: target).make()
            }
            #expect("\(try #require(error))".contains(expected))
        }
    }

    @Test("X11.end compares the last number of each conversation")
    func ends() throws {
        let source = try self.file("first.db")
        try source.connection.run(
            "INSERT INTO conversations (number, id, kind, created) VALUES (1, 'one', 'group', 5)")
        try source.connection.run(
            "INSERT INTO entries (id, counted, sort, sender, time) VALUES ((1 << 32) + 7, 1, 1, 'a', 5)")
        let target = FaultyTarget(try self.file("target.db"), .changes("entries"))
        let error = #expect(throws: StoreCopy.Trouble.self) {
            _ = try StoreCopy(of: self.tables, from: source, to: target).make()
        }
        #expect("\(try #require(error))".contains("conversation one does not end with the same number"))
    }

    // MARK: - What is moved

    private func file(_ name: String) throws -> MovableFile {
        for suffix in ["-wal", "-shm"] { _ = self.folder.place(name + suffix) }
        return try MovableFile.target(self.folder.place(name))
    }

    /// So many rows in every table, none like another.
    private func fill(_ name: String, rows: Int) throws -> MovableFile {
        let file = try self.file(name)
        for table in self.tables {
            for row in 0..<rows {
                try file.connection.run(table.insertion(of: 1), table.columns.map { Self.value(of: $0, row) })
            }
        }
        return file
    }

    private static func value(of column: SchemaTable.Column, _ row: Int) -> SQLValue {
        switch column.kind {
        case .integer: .integer(Int64(row) + 1000)
        case .text: .text("\(column.name) \(row) 'ä'\"\\ 中 🎈")
        case .blob: .blob([0, 255, UInt8(row % 256), UInt8(row / 256), 39, 92])
        }
    }

    private static func without(_ place: Int?, _ rows: [[SQLValue]]) -> [[SQLValue]] {
        guard let place else { return rows }
        return rows.map { row in Array(row[..<place] + row[(place + 1)...]) }
    }
}

private enum Fault: Hashable {
    case loses(String)
    case changes(String)
}

/// A database that does not keep one of the rows of one table, or not as it was.
private final class FaultyTarget: MovableDatabase, SQLConnection {
    private let sound: MovableFile
    private let fault: Fault
    private var isDone = false
    var connection: any SQLConnection { self }
    var words: any SearchTable { self.sound.words }

    init(_ sound: MovableFile, _ fault: Fault) {
        self.sound = sound
        self.fault = fault
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        switch self.fault {
        case .loses(let table) where sql.hasPrefix("INSERT INTO \(table) ") && !self.isDone:
            self.isDone = true
        case .changes(let table) where sql.hasPrefix("INSERT INTO \(table) ") && !self.isDone:
            self.isDone = true
            guard case .integer(let first) = values[0] else { return try self.sound.connection.run(sql, values) }
            try self.sound.connection.run(sql, [.integer(first - 1)] + values.dropFirst())
        default: try self.sound.connection.run(sql, values)
        }
    }

    func query(
        _ sql: String, _ values: [SQLValue], _ show: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try self.sound.connection.query(sql, values, show)
    }

    func changesOne(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Bool {
        try self.sound.connection.changesOne(sql, values)
    }

    func lastNumber(of table: SchemaTable) throws(StoreError) -> Int64? { try self.sound.lastNumber(of: table) }
    func setLastNumber(_ number: Int64, of table: SchemaTable) throws(StoreError) {
        try self.sound.setLastNumber(number, of: table)
    }
    func portionEnded() throws(StoreError) { try self.sound.portionEnded() }
}
