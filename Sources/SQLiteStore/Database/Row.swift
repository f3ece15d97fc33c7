internal import Keeping
internal import Vocabulary

/// The columns of a table that are read and written, in one order: said once, used by name. A new one shifts nothing.
protocol Column: CaseIterable, Sendable, RawRepresentable where RawValue == Int32 {}

extension Column {
    /// As SQL writes it: `read_counted`.
    var name: String {
        "\(self)".reduce(into: "") { name, letter in
            name += letter.isUppercase ? "_" + letter.lowercased() : "\(letter)"
        }
    }

    /// `id, counted, …`; with a table in front of each where several are asked.
    static func list(of table: String? = nil) -> String {
        self.allCases.map { column in table.map { "\($0).\(column.name)" } ?? column.name }.joined(separator: ", ")
    }

    /// `(id, counted, …) VALUES (?1, ?2, …)`
    static var insertion: String {
        "(\(self.list())) VALUES (\(self.places))"
    }

    static var places: String { self.allCases.map { "?\($0.rawValue + 1)" }.joined(separator: ", ") }

    static var count: Int32 { Int32(self.allCases.count) }
}

/// A row that was found, read by the names of its columns. Good until the statement goes on.
struct Row<Names: Column> {
    private let statement: PreparedStatement
    private let start: Int32
    private let file: String

    init(_ statement: PreparedStatement, from start: Int32, file: String) {
        self.statement = statement
        self.start = start
        self.file = file
    }

    private func index(_ column: Names) -> Int32 { self.start + column.rawValue }

    func isNull(_ column: Names) -> Bool { self.statement.isNull(self.index(column)) }
    func integer(_ column: Names) -> Int64 { self.statement.integer(self.index(column)) }
    func number(_ column: Names) -> UInt64 { UInt64(clamping: self.integer(column)) }
    func count(_ column: Names) -> Int { Int(clamping: self.integer(column)) }
    func text(_ column: Names) -> String? { self.statement.text(self.index(column)) }
    func blob(_ column: Names) -> [UInt8] { self.statement.blob(self.index(column)) }

    func time(_ column: Names) -> WallTime? {
        self.isNull(column) ? nil : WallTime(milliseconds: self.integer(column))
    }

    func requiredTime(_ column: Names) -> WallTime { WallTime(milliseconds: self.integer(column)) }

    /// A value that has to be there and to make sense; a file in which it does not is damaged.
    func required<Value>(_ column: Names, _ make: (String) -> Value?) throws(StoreError) -> Value {
        try self.required(column, self.text(column).flatMap(make))
    }

    func required<Value>(_ column: Names, _ value: Value?) throws(StoreError) -> Value {
        guard let value else { throw StoreError(.damaged, database: self.file, detail: "a wrong \(column.name)") }
        return value
    }
}

extension Connection {
    func first<Names: Column, Value>(
        _ sql: String, _ values: [SQLValue], read: (Row<Names>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        try self.first(sql, values) { statement throws(StoreError) in try read(statement.row()) }
    }

    func all<Names: Column, Value>(
        _ sql: String, _ values: [SQLValue] = [], read: (Row<Names>) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        try self.all(sql, values) { statement throws(StoreError) in try read(statement.row()) }
    }
}
