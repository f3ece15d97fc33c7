internal import CSQLite

/// A statement with its values, on its way through the rows it finds. Letting go of it makes it ready for the next time.
@safe package struct Statement: ~Copyable {
    private let prepared: PreparedStatement
    private let database: OpaquePointer
    private let file: String

    init(_ prepared: PreparedStatement, _ values: [SQLValue], on database: OpaquePointer, file: String)
        throws(StoreError)
    {
        self.prepared = prepared
        unsafe self.database = database
        self.file = file
        for (index, value) in values.enumerated() { try self.bind(value, at: Int32(index + 1)) }
    }

    deinit {
        unsafe sqlite3_reset(self.prepared.handle)
        unsafe sqlite3_clear_bindings(self.prepared.handle)
    }

    /// Goes on to the next row; false when there is none.
    package func step() throws(StoreError) -> Bool {
        let code = unsafe sqlite3_step(self.prepared.handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw unsafe StoreError(code, of: self.database, file: self.file)
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
        let statement = unsafe self.prepared.handle
        let code =
            switch value {
            case .null: unsafe sqlite3_bind_null(statement, index)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, number)
            case .text(let text): unsafe parley_sqlite_bind_text(statement, index, text, UInt64(text.utf8.count))
            case .blob(let bytes): unsafe parley_sqlite_bind_blob(statement, index, bytes, UInt64(bytes.count))
            }
        guard code == SQLITE_OK else { throw unsafe StoreError(code, of: self.database, file: self.file) }
    }
}

// MARK: - The columns of the row it stands on, counted from 0

extension Statement {
    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(self.prepared.handle, column) == SQLITE_NULL
    }

    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(self.prepared.handle, column) }

    package func text(_ column: Int32) -> String? {
        String(validating: self.blob(column), as: UTF8.self).flatMap { self.isNull(column) ? nil : $0 }
    }

    package func blob(_ column: Int32) -> [UInt8] {
        // In this order, since the first call may move what the second one counts.
        guard let start = unsafe sqlite3_column_blob(self.prepared.handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(self.prepared.handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A value that has to be there and to make sense; a file in which it does not is damaged.
    package func required<Value>(_ value: Value?, _ name: StaticString) throws(StoreError) -> Value {
        guard let value else { throw StoreError(.damaged, file: self.file, detail: "a wrong \(name)") }
        return value
    }
}
