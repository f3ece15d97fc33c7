internal import CSQLite

/// A statement SQLite has understood, kept so that it need not understand it again.
@safe final class PreparedStatement {
    let handle: OpaquePointer

    init(_ sql: String, on database: OpaquePointer, file: String) throws(StoreError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(database, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let prepared = unsafe handle else {
            throw unsafe StoreError(code, of: database, file: file)
        }
        unsafe self.handle = prepared
    }

    deinit {
        unsafe sqlite3_finalize(self.handle)
    }
}
