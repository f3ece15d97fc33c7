internal import PostgresLink
internal import SQLTables

/// Goes over rows that were fetched.
final class FetchedRow: SQLRow {
    private let rows: PostgresRows
    private var place = -1
    let database: String

    init(_ rows: PostgresRows, of database: String) {
        self.rows = rows
        self.database = database
    }

    func next() -> Bool {
        self.place += 1
        return self.place < self.rows.count
    }

    func isNull(_ column: Int32) -> Bool { self.rows.isNull(self.place, Int(column)) }
    func integer(_ column: Int32) -> Int64 { self.rows.integer(self.place, Int(column)) ?? 0 }
    func text(_ column: Int32) -> String? { self.rows.text(self.place, Int(column)) }
    func blob(_ column: Int32) -> [UInt8] { self.rows.bytes(self.place, Int(column)) ?? [] }
}
