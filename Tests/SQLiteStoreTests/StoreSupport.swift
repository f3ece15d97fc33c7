import Keeping
@testable import SQLiteStore
import SQLTables
import TestSupport
import Testing
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

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

/// Something that is done to a connection, for tests of the threads around it.
protocol Work: Sendable {
    associatedtype Answer: Sendable
    static var access: StoreAccess { get }
    func perform(on connection: Connection) throws(StoreError) -> Answer
}

extension Database {
    func ask<Request: Work>(_ work: Request) async throws -> Request.Answer {
        try await withCheckedThrowingContinuation { continuation in
            self.send(work) { continuation.resume(with: $0) }
        }
    }

    func send<Request: Work>(
        _ work: Request, from asker: UserID? = nil, _ answer: @escaping Answer<Request.Answer>
    ) {
        self.send(Request.access, from: asker, answer) { tables throws(StoreError) in
            try work.perform(on: tables.connection)
        }
    }
}

/// A table of numbers, for tests of the floor itself.
enum Numbers {
    static let migrations = [Migration("CREATE TABLE numbers (n INTEGER NOT NULL UNIQUE) STRICT")]

    struct Add: Work {
        let number: Int64
        static let access = StoreAccess.writes

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            try connection.changesOne("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
        }
    }

    /// Writes and then thinks better of it.
    struct AddTwice: Work {
        let number: Int64
        static let access = StoreAccess.writes

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            try connection.run("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
            return try connection.changesOne("INSERT INTO numbers VALUES (?)", [.integer(self.number)])
        }
    }

    /// The same, from a request that is not expected to fail.
    struct AddTwiceTogether: Work {
        let number: Int64
        static let access = StoreAccess.writesWithGroup

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            try AddTwice(number: self.number).perform(on: connection)
        }
    }

    struct All: Work {
        static let access = StoreAccess.reads

        func perform(on connection: Connection) throws(StoreError) -> [Int64] {
            try connection.all("SELECT n FROM numbers ORDER BY n") { row in row.integer(0) }
        }
    }

    /// Ends the whole group's transaction, as SQLite does when the disk fails.
    struct GiveUp: Work {
        static let access = StoreAccess.writes

        func perform(on connection: Connection) throws(StoreError) { try connection.execute("ROLLBACK") }
    }

    /// Makes the disk small.
    struct LimitPages: Work {
        static let access = StoreAccess.reads

        func perform(on connection: Connection) throws(StoreError) {
            try connection.execute("PRAGMA max_page_count = 4; CREATE TABLE IF NOT EXISTS blobs (b BLOB)")
        }
    }

    struct AddBlob: Work {
        let count: Int
        static let access = StoreAccess.writes

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            try connection.changesOne("INSERT INTO blobs VALUES (?)", [.blob([UInt8](repeating: 1, count: self.count))])
        }
    }

    /// Keeps the store's thread until it is let go.
    struct Hold: Work {
        let until: @Sendable () -> Void
        static let access = StoreAccess.writes

        func perform(on connection: Connection) throws(StoreError) { self.until() }
    }
}
