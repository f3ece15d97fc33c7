internal import CSQLite
internal import Keeping
internal import SQLTables

/// A statement with its values, on its way through the rows it finds. Letting go of it makes it ready for the next time.
@safe struct Statement: ~Copyable {
    let prepared: PreparedStatement
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
    func step() throws(StoreError) -> Bool {
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
            case .text(var text):
                text.withUTF8 {
                    unsafe parley_sqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                }
            case .blob(let bytes): unsafe parley_sqlite_bind_blob(statement, index, bytes, UInt64(bytes.count))
            }
        guard code == SQLITE_OK else { throw unsafe StoreError(code, of: self.database, file: self.file) }
    }
}
