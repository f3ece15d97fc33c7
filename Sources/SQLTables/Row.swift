package import Keeping
package import Vocabulary

/// A row that was found, read by the names of its columns. Good for as long as that one.
package struct Row<Names: Column> {
    private let row: any SQLRow
    private let start: Int

    package init(_ row: any SQLRow, from start: Int = 0) {
        self.row = row
        self.start = start
    }

    private func index(_ column: Names) -> Int32 { Int32(truncatingIfNeeded: self.start + column.rawValue) }

    package func isNull(_ column: Names) -> Bool { self.row.isNull(self.index(column)) }
    package func integer(_ column: Names) -> Int64 { self.row.integer(self.index(column)) }
    package func number(_ column: Names) -> UInt64 { UInt64(clamping: self.integer(column)) }
    package func count(_ column: Names) -> Int { Int(clamping: self.integer(column)) }
    package func text(_ column: Names) -> String? { self.row.text(self.index(column)) }
    package func blob(_ column: Names) -> [UInt8] { self.row.blob(self.index(column)) }

    package func time(_ column: Names) -> WallTime? {
        self.isNull(column) ? nil : WallTime(milliseconds: self.integer(column))
    }

    package func requiredTime(_ column: Names) -> WallTime { WallTime(milliseconds: self.integer(column)) }

    /// A value that has to be there and to make sense; a file in which it does not is damaged.
    package func required<Value>(_ column: Names, _ make: (String) -> Value?) throws(StoreError) -> Value {
        try self.required(column, self.text(column).flatMap(make))
    }

    package func required<Value>(_ column: Names, _ value: Value?) throws(StoreError) -> Value {
        guard let value else {
            throw StoreError(.damaged, database: self.row.database, detail: "a wrong \(column.name)")
        }
        return value
    }
}

extension SQLRow {
    /// The columns from `start` on, by their names. Inlined: elsewhere the type of the row would be looked up for each.
    @inline(__always)
    package func row<Names: Column>(_ names: Names.Type = Names.self, from start: Int = 0) -> Row<Names> {
        Row(self, from: start)
    }
}
