internal import Conversing
package import Keeping

/// Copies every row of every table from one database into another, whichever engines they are of, builds the index of words, and
/// then reads both again to see that they are equal.
package final class StoreCopy {
    package struct Report: Sendable {
        /// How many rows, by the names of the tables.
        package var tables: [(name: String, rows: Int)] = []
        package var conversations: Int { self.rows(of: "conversations") }
        package var entries: Int { self.rows(of: "entries") }
        package var rows: Int { self.tables.reduce(0) { $0 + $1.rows } }

        private func rows(of table: String) -> Int { self.tables.first { $0.name == table }?.rows ?? 0 }
    }

    package enum Trouble: Error, CustomStringConvertible {
        case store(StoreError)
        /// The target has rows already.
        case occupied(table: String)
        /// The two are not equal: in which table, and how many rows each has.
        case different(table: String, source: Int, target: Int)
        case differentContent(table: String)
        /// The conversation ends with another number.
        case differentEnd(conversation: String)

        package var description: String {
            switch self {
            case .store(let error): "\(error)"
            case .occupied(let table): "there are data already (in \(table)); a move needs an empty target"
            case .different(let table, let source, let target):
                "the copy is not equal: \(table) has \(source) rows in the source and \(target) in the target"
            case .differentContent(let table): "the copy is not equal: rows of \(table) are different"
            case .differentEnd(let conversation):
                "the copy is not equal: conversation \(conversation) does not end with the same number"
            }
        }
    }

    private let tables: [SchemaTable]
    private let source: any MovableDatabase
    private let target: any MovableDatabase
    private let moved: (_ done: Int, _ of: Int) -> Void
    private var done = 0
    private var total = 0

    static let page = 1000
    /// So many rows go into one statement.
    static let rowsOfStatement = 50
    /// Says how far the index of words is, which each engine builds itself.
    private static let indexMark = (table: "conversations", column: "indexed")

    /// - Parameter moved: told how many of all steps are done.
    package init(
        of tables: [SchemaTable], from source: any MovableDatabase, to target: any MovableDatabase,
        moved: @escaping (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) {
        self.tables = tables
        self.source = source
        self.target = target
        self.moved = moved
    }

    /// When it comes back, the target has everything and is equal; nothing of it counts before the target is finished.
    package func make() throws(Trouble) -> Report {
        try self.demandEmpty()
        let counts = try self.counts(of: self.source)
        self.total = counts.reduce(0) { $0 + $1.rows } * 2
        var digests: [RowDigest] = []
        for table in self.tables { digests.append(try self.copy(table)) }
        try Self.store { () throws(StoreError) in try self.markIndexed() }
        try self.compare(counts, digests)
        return Report(tables: counts)
    }

    private func demandEmpty() throws(Trouble) {
        for table in self.tables {
            let isOccupied = try Self.store { () throws(StoreError) in
                try self.target.connection.exists(table.any)
            }
            if isOccupied { throw .occupied(table: table.name) }
        }
    }

    private func counts(of side: any MovableDatabase) throws(Trouble) -> [(name: String, rows: Int)] {
        var counts: [(name: String, rows: Int)] = []
        for table in self.tables {
            let rows = try Self.store { () throws(StoreError) in try side.connection.number(table.count) ?? 0 }
            counts.append((table.name, Int(rows)))
        }
        return counts
    }

    private func step(_ rows: Int) {
        self.done += rows
        self.moved(self.done, self.total)
    }

    private static func store<Value>(_ work: () throws(StoreError) -> Value) throws(Trouble) -> Value {
        do throws(StoreError) { return try work() } catch { throw .store(error) }
    }
}

// MARK: - Copying

extension StoreCopy {
    private func copy(_ table: SchemaTable) throws(Trouble) -> RowDigest {
        var digest = self.digest(of: table)
        let words = WordsOfEntries(table)
        try Self.store { () throws(StoreError) in
            try self.read(table, of: self.source) { rows throws(StoreError) in
                for row in rows { digest.add(row) }
                try self.write(rows, into: table)
                try words?.index(rows, in: self.target.words)
                try self.target.portionEnded()
                self.step(rows.count)
            }
            let last = try table.isNumbered ? self.source.lastNumber(of: table) : nil
            if let last { try self.target.setLastNumber(last, of: table) }
        }
        return digest
    }

    private func digest(of table: SchemaTable) -> RowDigest {
        let isMarked = table.name == Self.indexMark.table
        return RowDigest(leavingOut: isMarked ? table.place(of: Self.indexMark.column) : nil)
    }

    private func read(
        _ table: SchemaTable, of side: any MovableDatabase, _ take: ([[SQLValue]]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let limit = SQLValue.count(Self.page)
        var rows = try side.connection.all(table.firstPage, [limit], table.values)
        while let last = rows.last {
            try take(rows)
            guard rows.count == Self.page else { return }
            rows = try side.connection.all(table.nextPage, table.key.map { last[$0] } + [limit], table.values)
        }
    }

    private func write(_ rows: [[SQLValue]], into table: SchemaTable) throws(StoreError) {
        var rest = rows[...]
        for count in [Self.rowsOfStatement, 1] {
            let sql = table.insertion(of: count)
            while rest.count >= count {
                try self.target.connection.run(sql, Array(rest.prefix(count).joined()))
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Everything that was copied was indexed on the way.
    private func markIndexed() throws(StoreError) {
        let last = EntryLayout.latest(of: "conversations.number")
        let (table, column) = Self.indexMark
        try self.target.connection.run(
            "UPDATE \(table) SET \(column) = coalesce(\(EntryLayout.number(of: last)), 0)")
    }
}

// MARK: - Comparing

extension StoreCopy {
    private func compare(_ counts: [(name: String, rows: Int)], _ digests: [RowDigest]) throws(Trouble) {
        for (expected, found) in zip(counts, try self.counts(of: self.target)) where expected.rows != found.rows {
            throw .different(table: expected.name, source: expected.rows, target: found.rows)
        }
        if let conversation = try Self.store(self.firstDifferentEnd) { throw .differentEnd(conversation: conversation) }
        for (table, expected) in zip(self.tables, digests) {
            var found = self.digest(of: table)
            try Self.store { () throws(StoreError) in
                try self.read(table, of: self.target) { rows throws(StoreError) in
                    for row in rows { found.add(row) }
                    self.step(rows.count)
                }
            }
            if found != expected { throw .differentContent(table: table.name) }
        }
    }

    private struct End: Hashable {
        let key: Int64
        let conversation: String
        let last: Int64
    }

    /// The last number of each conversation, on both sides.
    private func firstDifferentEnd() throws(StoreError) -> String? {
        var key = Int64.min
        while true {
            let (ours, theirs) = (
                try self.ends(of: self.source, after: key), try self.ends(of: self.target, after: key)
            )
            guard ours == theirs else {
                return zip(ours, theirs).first { $0 != $1 }?.0.conversation ?? ours.last?.conversation ?? ""
            }
            guard ours.count == Self.page, let last = ours.last else { return nil }
            key = last.key
        }
    }

    private func ends(of side: any MovableDatabase, after key: Int64) throws(StoreError) -> [End] {
        let sql = """
            SELECT c.number, c.id, coalesce(\(EntryLayout.number(of: EntryLayout.latest(of: "c.number"))), 0)
            FROM conversations c WHERE c.number > ? ORDER BY c.number LIMIT ?
            """
        return try side.connection.all(sql, [.integer(key), .count(Self.page)]) { row in
            End(key: row.integer(0), conversation: row.text(1) ?? "", last: row.integer(2))
        }
    }
}
