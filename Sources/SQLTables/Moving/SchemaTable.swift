internal import Keeping

/// A table that every engine has, as its columns are, whatever is in it: enough to read all of it and to write it elsewhere.
package struct SchemaTable: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package enum Kind: String, Sendable { case integer = "INTEGER", text = "TEXT", blob = "BLOB" }

        package let name: String
        package let kind: Kind

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package let name: String
    package let columns: [Column]
    /// Where the columns of the primary key are, in its order.
    package let key: [Int]
    /// Whether the engine counts its rows itself, and gives no number twice.
    package let isNumbered: Bool

    package init(name: String, columns: [Column], key: [Int], isNumbered: Bool) {
        self.name = name
        self.columns = columns
        self.key = key
        self.isNumbered = isNumbered
    }

    package var keyNames: [String] { self.key.map { self.columns[$0].name } }

    func place(of column: String) -> Int? { self.columns.firstIndex { $0.name == column } }
}

// MARK: - Statements

extension SchemaTable {
    private var list: String { self.columns.map(\.name).joined(separator: ", ") }
    private var order: String { self.keyNames.joined(separator: ", ") }

    /// Takes how many rows.
    var firstPage: String { "SELECT \(self.list) FROM \(self.name) ORDER BY \(self.order) LIMIT ?" }

    /// Takes the key of the row before, and how many rows.
    var nextPage: String {
        let places = self.key.map { _ in "?" }.joined(separator: ", ")
        return
            "SELECT \(self.list) FROM \(self.name) WHERE (\(self.order)) > (\(places)) ORDER BY \(self.order) LIMIT ?"
    }

    var count: String { "SELECT count(*) FROM \(self.name)" }

    var any: String { "SELECT 1 FROM \(self.name) LIMIT 1" }

    func insertion(of rows: Int) -> String {
        let row = "(\(self.columns.map { _ in "?" }.joined(separator: ", ")))"
        return
            "INSERT INTO \(self.name) (\(self.list)) VALUES \(Array(repeating: row, count: rows).joined(separator: ", "))"
    }
}

// MARK: - Rows

extension SchemaTable {
    func values(of row: any SQLRow) throws(StoreError) -> [SQLValue] {
        var values: [SQLValue] = []
        values.reserveCapacity(self.columns.count)
        for place in self.columns.indices { values.append(try self.value(at: place, of: row)) }
        return values
    }

    private func value(at place: Int, of row: any SQLRow) throws(StoreError) -> SQLValue {
        let index = Int32(place)
        guard !row.isNull(index) else { return .null }
        switch self.columns[place].kind {
        case .integer: return .integer(row.integer(index))
        case .blob: return .blob(row.blob(index))
        case .text:
            guard let text = row.text(index) else {
                let detail = "a wrong \(self.columns[place].name) in \(self.name)"
                throw StoreError(.damaged, database: row.database, detail: detail)
            }
            return .text(text)
        }
    }
}
