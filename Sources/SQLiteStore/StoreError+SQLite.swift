internal import CSQLite
internal import Keeping

extension StoreError {
    /// Takes over what SQLite says about its last step. Read it before the next one.
    init(_ code: Int32, of handle: OpaquePointer?, file: String) {
        let words = unsafe handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle)
        self.init(Reason(code), database: file, detail: unsafe words.map { unsafe String(cString: $0) } ?? "")
    }
}

extension StoreError.Reason {
    fileprivate init(_ code: Int32) {
        self =
            switch code & 0xFF {
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_FULL: .full
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .forbidden
            case SQLITE_IOERR: .inputOutput
            default: .other(code: code)
            }
    }
}
