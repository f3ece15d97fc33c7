package import Keeping

/// A connection to a database, as the tables need it: carries out statements in the words that SQLite and PostgreSQL share.
///
/// What an engine says otherwise it translates itself: a `?` stands for the next value and `?3` for the third one, an
/// integer has 64 bits, a flag is 0 or 1, and text is in the order of its bytes.
package protocol SQLConnection: AnyObject {
    /// Carries out a statement and shows the rows it finds, for as long as `show` comes back with true.
    func query(
        _ sql: String, _ values: [SQLValue], _ show: (any SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError)

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreError)

    /// Carries out a statement that nearly always changes one row, and says whether it did.
    func changesOne(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> Bool

    /// The statement is asked next with each of these values, in this order. Who waits for answers can ask for all of them at once.
    func willQuery(_ sql: String, _ all: [[SQLValue]])

    /// Asks for the two numbers of a `TransactionSnapshot`; nil where no other process writes.
    var snapshotQuery: String? { get }
}

/// A row that was found, by the places of its columns. Good until `show` comes back.
package protocol SQLRow: AnyObject {
    /// Which one, for messages.
    var database: String { get }
    func isNull(_ column: Int32) -> Bool
    func integer(_ column: Int32) -> Int64
    /// Nil for what is null or no UTF-8.
    func text(_ column: Int32) -> String?
    func blob(_ column: Int32) -> [UInt8]
}

extension SQLConnection {
    package func willQuery(_ sql: String, _ all: [[SQLValue]]) {}

    package var snapshotQuery: String? { nil }

    package func run(_ sql: String) throws(StoreError) { try self.run(sql, []) }

    package func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (any SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        var found: Value?
        try self.query(sql, values) { row throws(StoreError) in
            found = try read(row)
            return false
        }
        return found
    }

    package func all<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ read: (any SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        var rows: [Value] = []
        try self.query(sql, values) { row throws(StoreError) in
            rows.append(try read(row))
            return true
        }
        return rows
    }

    /// The one number of the first row, if there is one that is not null.
    package func number(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
        try self.first(sql, values) { row in row.isNull(0) ? nil : row.integer(0) } ?? nil
    }

    package func exists(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Bool {
        try self.first(sql, values) { _ in true } ?? false
    }
}

// MARK: - Columns by their names

extension SQLConnection {
    /// Carries out a statement with the value of each column in its own place, as `Column.insertion` counts them. Inlined:
    /// where the columns are known it is a plain loop over them.
    @inline(__always)
    package func run<Names: Column>(_ sql: String, _ value: (Names) -> SQLValue) throws(StoreError) {
        try self.run(sql, Names.allCases.map(value))
    }

    @inline(__always)
    package func changesOne<Names: Column>(
        _ sql: String, _ value: (Names) -> SQLValue
    ) throws(StoreError) -> Bool {
        try self.changesOne(sql, Names.allCases.map(value))
    }

    package func first<Names: Column, Value>(
        _ sql: String, _ values: [SQLValue], read: (Row<Names>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        try self.first(sql, values) { row throws(StoreError) in try read(Row(row)) }
    }

    /// What `first` finds with each of these keys.
    package func firstOfEach<Names: Column, Key: Hashable, Value>(
        _ sql: String, _ keys: [Key], as value: (Key) -> SQLValue, read: (Row<Names>) throws(StoreError) -> Value
    ) throws(StoreError) -> [Key: Value] {
        var seen: Set<Key> = []
        let keys = keys.filter { seen.insert($0).inserted }
        self.willQuery(sql, keys.map { [value($0)] })
        var found: [Key: Value] = [:]
        for key in keys { found[key] = try self.first(sql, [value(key)], read: read) }
        return found
    }

    /// What `all` finds with each of these values, in their order.
    package func allOfEach<Value>(
        _ sql: String, _ values: [[SQLValue]], _ read: (any SQLRow) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        self.willQuery(sql, values)
        var found: [Value] = []
        for each in values { found += try self.all(sql, each, read) }
        return found
    }

    package func all<Names: Column, Value>(
        _ sql: String, _ values: [SQLValue] = [], read: (Row<Names>) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        try self.all(sql, values) { row throws(StoreError) in try read(Row(row)) }
    }
}
