import Store
import TestSupport
import Testing
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Waits for the answer of a store.
func ask<Value: Sendable>(
    _ question: (@escaping @Sendable (Result<Value, StoreError>) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in question { continuation.resume(with: $0) } }
}

/// A folder that is gone after the test.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    var template = Array("/tmp/parley-store-XXXXXX\0".utf8CString)
    let path = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
        for name in ["", "-wal", "-shm"] { unlink("\(path)/store.db\(name)") }
        rmdir(path)
    }
    return try await body(path)
}

extension UserID {
    static let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    static let bob = UserID("bob") ?? { preconditionFailure("no user id") }()
}

/// A table of numbers, for tests of the floor itself.
enum Numbers {
    static let migrations = [Migration("CREATE TABLE numbers (n INTEGER NOT NULL UNIQUE) STRICT")]

    struct Add: StoreRequest {
        let number: Int64
        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try connection.run("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
        }
    }

    /// Writes and then thinks better of it.
    struct AddTwice: StoreRequest {
        let number: Int64
        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try connection.run("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
            return try connection.run("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
        }
    }

    /// The same, from a request that is not expected to fail.
    struct AddTwiceTogether: StoreRequest {
        let number: Int64
        static let writes = true
        static let failsAlone = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try AddTwice(number: self.number).perform(on: connection)
        }
    }

    struct All: StoreRequest {
        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [Int64] {
            try connection.all("SELECT n FROM numbers ORDER BY n") { row in row.integer(0) }
        }
    }

    /// Ends the whole group's transaction, as SQLite does when the disk fails.
    struct GiveUp: StoreRequest {
        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) { try connection.execute("ROLLBACK") }
    }

    /// Makes the disk small.
    struct LimitPages: StoreRequest {
        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) {
            try connection.execute("PRAGMA max_page_count = 4; CREATE TABLE IF NOT EXISTS blobs (b BLOB)")
        }
    }

    struct AddBlob: StoreRequest {
        let count: Int
        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try connection.run("INSERT INTO blobs VALUES (?)", [.blob([UInt8](repeating: 1, count: self.count))])
        }
    }

    /// Keeps the store's thread until it is let go.
    struct Hold: StoreRequest {
        let until: @Sendable () -> Void
        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) { self.until() }
    }
}
