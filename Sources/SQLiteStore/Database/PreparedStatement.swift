internal import Bytes
internal import CSQLite
internal import Keeping
internal import SQLTables

/// A statement SQLite has understood, kept so that it need not understand it again.
@safe final class PreparedStatement {
    let handle: OpaquePointer
    let database: String

    init(_ sql: String, on database: OpaquePointer, file: String) throws(StoreError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(database, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let prepared = unsafe handle else {
            throw unsafe StoreError(code, of: database, file: file)
        }
        unsafe self.handle = prepared
        self.database = file
    }

    deinit {
        unsafe sqlite3_finalize(self.handle)
    }
}

// MARK: - The columns of the row it stands on, counted from 0

extension PreparedStatement: SQLRow {
    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(self.handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(self.handle, column) }

    /// Nil for what is null or no UTF-8.
    func text(_ column: Int32) -> String? {
        guard !self.isNull(column) else { return nil }
        return unsafe self.withBytes(of: column) { unsafe String(utf8: $0.bindMemory(to: UInt8.self).span) }
    }

    func blob(_ column: Int32) -> [UInt8] { unsafe self.withBytes(of: column) { unsafe Array($0) } }

    private func withBytes<Value>(of column: Int32, _ read: (UnsafeRawBufferPointer) -> Value) -> Value {
        // In this order, since the first call may move what the second one counts.
        let start = unsafe sqlite3_column_blob(self.handle, column)
        let count = unsafe Int(sqlite3_column_bytes(self.handle, column))
        return unsafe read(UnsafeRawBufferPointer(start: start, count: unsafe start == nil ? 0 : count))
    }
}
