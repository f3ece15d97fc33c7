internal import Keeping
internal import PostgresLink

extension StoreError {
    init(_ error: PostgresError, database: String) {
        self.init(Reason(error.reason), database: database, detail: error.description)
    }
}

extension StoreError.Reason {
    fileprivate init(_ reason: PostgresError.Reason) {
        self =
            switch reason {
            case .unique, .constraint: .constraint
            case .diskFull: .full
            case .serialization, .deadlock, .lockTimeout, .statementTimeout, .idleInTransactionTimeout: .busy
            case .readOnly, .authentication, .untrusted, .pooled, .noLibrary: .forbidden
            case .shutdown, .starting, .tooManyConnections, .noSuchDatabase, .broken, .unreachable: .unreachable
            case .aborted, .other: .other(code: 0)
            }
    }
}

extension PostgresError {
    /// Others wrote what it had read, or the entry with the next number, or hold it: the same may succeed the next time.
    var isConflict: Bool {
        [.serialization, .deadlock, .lockTimeout].contains(self.reason) || self.constraint == "entries_pkey"
    }

    var isDivisionByZero: Bool { self.state == "22012" }

    /// It says something about one statement and its values, and nothing about the database.
    var isAboutStatement: Bool { [.constraint, .other].contains(self.reason) }
}
