internal import CSQLite

/// The store could not do what it was asked for.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The file is no database of ours, or was damaged.
        case damaged
        /// The file was written by a newer version of this program.
        case tooNew(version: Int)
        /// A rule of the tables would be broken, say a name be given twice.
        case constraint
        /// The disk is full.
        case full
        /// Somebody else holds the file.
        case busy
        /// The file cannot be opened or written: rights, or a read-only disk.
        case forbidden
        /// The disk failed.
        case inputOutput
        /// More requests wait than may wait; try again later.
        case overloaded
        /// The store was closed.
        case closed
        case other(code: Int32)
    }

    package let reason: Reason
    package let file: String
    /// What SQLite said; never holds anything of the request's values.
    package let detail: String

    package init(_ reason: Reason, file: String, detail: String) {
        self.reason = reason
        self.file = file
        self.detail = detail
    }

    /// Takes over what SQLite says about its last step. Read it before the next one.
    init(_ code: Int32, of handle: OpaquePointer?, file: String) {
        let words = unsafe handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle)
        self.init(Reason(code), file: file, detail: unsafe words.map { unsafe String(cString: $0) } ?? "")
    }

    package var description: String {
        switch self.reason {
        case .damaged: "\(self.file) is no sound database (\(self.detail)); restore it from a copy, or move it away"
        case .tooNew(let version): "\(self.file) has version \(version), which is newer than this program; update it"
        case .busy: "\(self.file) is in use by another program"
        case .full: "no room is left on the disk of \(self.file)"
        case .overloaded: "too many requests wait for \(self.file)"
        case .closed: "\(self.file) is closed"
        case .forbidden, .inputOutput, .constraint, .other: "\(self.file): \(self.detail)"
        }
    }
}

extension StoreError.Reason {
    init(_ code: Int32) {
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
