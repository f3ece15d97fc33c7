import Keeping
import System
import Testing
import Vocabulary

import SQLTables
@testable import SQLiteStore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A database")
struct DatabaseTests {
    private func memory(limit: Int = 10_000, largestGroup: Int = 512) throws -> Database {
        try Database(
            path: Connection.memory, migrations: Numbers.migrations, limit: limit, largestGroup: largestGroup)
    }

    @Test("writes all that waits with one commit, and answers in order")
    func groupCommit() async throws {
        let database = try self.memory()
        let (gate, held) = (Gate(), Gate())
        let answers = Locked<[Int64]>([])
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        for number: Int64 in 0..<100 {
            database.send(Numbers.Add(number: number)) { _ in answers.withLock { $0.append(number) } }
        }
        gate.open()
        #expect(try await database.ask(Numbers.All()) == Array(0..<100))
        #expect(answers.withLock { $0 } == Array(0..<100))
        // One for the request that held the thread, one for the hundred; reading may have come in a third group.
        #expect(database.statistics.commits == 2)
    }

    @Test("H3 takes what does not fit into one group in turns of users, those of one in their order, a commit a group")
    func turns() async throws {
        // Nine wait, or ten when the first reading is in the queue before the gate is open: more than fit either way.
        let database = try self.memory(largestGroup: 8)
        let (gate, held) = (Gate(), Gate())
        let answers = Locked<[Int64]>([])
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        let (greedy, modest) = (UserID("greedy"), UserID("modest"))
        let asked: [(UserID?, Range<Int64>)] = [(greedy, 0..<5), (modest, 10..<12), (nil, 20..<22)]
        for (asker, numbers) in asked {
            for number in numbers {
                database.send(Numbers.Add(number: number), from: asker) { _ in answers.withLock { $0.append(number) } }
            }
        }
        gate.open()
        _ = try await database.ask(Numbers.All())
        _ = try await database.ask(Numbers.All())
        #expect(answers.withLock { $0 } == [0, 10, 20, 21, 1, 11, 2, 3, 4])
        #expect(database.statistics.commits == 3)
    }

    @Test("H3 takes no more than so many requests of one user, and those of others still")
    func oneUsersShare() async throws {
        let database = try self.memory()
        let (gate, held) = (Gate(), Gate())
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        let refused = Locked(0)
        for number: Int64 in 0..<1100 {
            database.send(Numbers.Add(number: number), from: UserID("greedy")) { result in
                guard case .failure(let error) = result, error.reason == .overloaded else { return }
                refused.withLock { $0 += 1 }
            }
        }
        gate.open()
        _ = try await database.ask(Numbers.Add(number: 5000))
        #expect(refused.withLock { $0 } == 100)
    }

    @Test("takes back what a failed request wrote, and nothing of its neighbours")
    func savepoints() async throws {
        let database = try self.memory()
        let (gate, held) = (Gate(), Gate())
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        let results = Locked<[Bool]>([])
        database.send(Numbers.Add(number: 1)) { result in results.withLock { $0.append((try? result.get()) != nil) } }
        database.send(Numbers.AddTwice(number: 2)) { result in
            guard case .failure(let error) = result else { return }
            results.withLock { $0.append(error.reason != .constraint) }
        }
        database.send(Numbers.Add(number: 3)) { result in results.withLock { $0.append((try? result.get()) != nil) } }
        gate.open()
        #expect(try await database.ask(Numbers.All()) == [1, 3])
        #expect(results.withLock { $0 } == [true, false, true])
    }

    @Test("takes the whole group back when a request fails that does not fail alone")
    func groupsThatFailTogether() async throws {
        let database = try self.memory()
        let (gate, held) = (Gate(), Gate())
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        let (failures, answered) = (Locked<[StoreError.Reason]>([]), Gate())
        let note: @Sendable (Result<Bool, StoreError>) -> Void = { result in
            guard case .failure(let error) = result else { return answered.open() }
            let count = failures.withLock { reasons in
                reasons.append(error.reason)
                return reasons.count
            }
            if count == 3 { answered.open() }
        }
        database.send(Numbers.Add(number: 1), note)
        database.send(Numbers.AddTwiceTogether(number: 2), note)
        database.send(Numbers.Add(number: 3), note)
        gate.open()
        answered.wait()
        #expect(try await database.ask(Numbers.All()) == [])
        #expect(failures.withLock { $0 } == [.constraint, .constraint, .constraint])
        #expect(try await database.ask(Numbers.Add(number: 4)))
    }

    @Test("writes nothing of a group whose transaction was lost, and tells everybody in it")
    func lostTransaction() async throws {
        let database = try self.memory()
        let (gate, held) = (Gate(), Gate())
        let failures = Locked(0)
        let count: @Sendable (Bool) -> Void = { isFailure in failures.withLock { $0 += isFailure ? 1 : 0 } }
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        database.send(Numbers.Add(number: 1)) { count((try? $0.get()) == nil) }
        database.send(Numbers.GiveUp()) { count((try? $0.get()) == nil) }
        database.send(Numbers.Add(number: 2)) { count((try? $0.get()) == nil) }
        gate.open()
        // Perhaps still in that group.
        _ = try? await database.ask(Numbers.All())
        #expect(try await database.ask(Numbers.All()) == [])
        #expect(failures.withLock { $0 } == 3)
        _ = try await database.ask(Numbers.Add(number: 4))
        #expect(try await database.ask(Numbers.All()) == [4])
    }

    @Test("says that the disk is full, and goes on with what still fits")
    func fullDisk() async throws {
        let database = try self.memory()
        try await database.ask(Numbers.LimitPages())
        let error = await #expect(throws: StoreError.self) {
            try await database.ask(Numbers.AddBlob(count: 100_000))
        }
        #expect(error?.reason == .full)
        #expect(try await database.ask(Numbers.AddBlob(count: 10)))
    }

    @Test("refuses at once when too many wait")
    func overload() async throws {
        let database = try self.memory(limit: 3)
        let (gate, held) = (Gate(), Gate())
        database.send(
            Numbers.Hold {
                held.open(); gate.wait()
            }
        ) { _ in }
        held.wait()
        for number: Int64 in 0..<3 { database.send(Numbers.Add(number: number)) { _ in } }
        await #expect(throws: StoreError(.overloaded, database: Connection.memory, detail: "")) {
            try await database.ask(Numbers.All())
        }
        gate.open()
    }

    @Test("finishes what it was asked for before it closes, and takes no more")
    func closes() async throws {
        let database = try self.memory()
        let done = Locked(0)
        for number: Int64 in 0..<500 { database.send(Numbers.Add(number: number)) { _ in done.withLock { $0 += 1 } } }
        database.close()
        #expect(done.withLock { $0 } == 500)
        await #expect(throws: StoreError(.closed, database: Connection.memory, detail: "")) {
            try await database.ask(Numbers.All())
        }
    }

    @Test("serves many threads at once")
    func threads() async throws {
        let database = try self.memory()
        await withTaskGroup(of: Void.self) { tasks in
            for task: Int64 in 0..<8 {
                tasks.addTask {
                    for number: Int64 in 0..<100 {
                        _ = try? await database.ask(Numbers.Add(number: task * 100 + number))
                    }
                }
            }
        }
        #expect(try await database.ask(Numbers.All()) == Array(0..<800))
    }
}

@Suite("A database file")
struct DatabaseFileTests {
    @Test("keeps what was answered, and is for its own user only")
    func file() async throws {
        try await withFolder { folder in
            let path = "\(folder)/store.db"
            let first = try Database(path: path, migrations: Numbers.migrations)
            _ = try await first.ask(Numbers.Add(number: 7))
            #expect(try self.mode(path) == 0o600)
            #expect(try self.mode("\(path)-wal") == 0o600)
            first.close()
            let second = try Database(path: path, migrations: Numbers.migrations)
            #expect(try await second.ask(Numbers.All()) == [7])
            second.close()
        }
    }

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test("that others could read is made private")
    func privacy() async throws {
        try await withFolder { folder in
            let path = "\(folder)/store.db"
            close(open(path, O_CREAT | O_RDWR, 0o644))
            try Database(path: path, migrations: []).close()
            #expect(try self.mode(path) == 0o600)
        }
    }

    @Test("goes through each migration once, and a failing one leaves no trace")
    func migrations() async throws {
        try await withFolder { folder in
            let path = "\(folder)/store.db"
            let second = Migration("ALTER TABLE numbers ADD COLUMN name TEXT; INSERT INTO numbers (n) VALUES (99)")
            let wrong = Migration("INSERT INTO numbers (n) VALUES (100); INSERT INTO nowhere VALUES (1)")
            try Database(path: path, migrations: Numbers.migrations).close()
            for _ in 0..<2 { try Database(path: path, migrations: Numbers.migrations + [second]).close() }
            #expect(throws: StoreError.self) {
                try Database(path: path, migrations: Numbers.migrations + [second, wrong])
            }
            let database = try Database(path: path, migrations: Numbers.migrations + [second])
            #expect(try await database.ask(Numbers.All()) == [99])
            database.close()
        }
    }

    @Test("of a newer version is left alone")
    func tooNew() async throws {
        try await withFolder { folder in
            let path = "\(folder)/store.db"
            let newer = Numbers.migrations + [Migration("CREATE TABLE future (x)")]
            try Database(path: path, migrations: newer).close()
            let error = #expect(throws: StoreError.self) { try Database(path: path, migrations: Numbers.migrations) }
            #expect(error?.reason == .tooNew(version: 2))
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("that is none, or was damaged, is named in the error")
    func damaged() async throws {
        try await withFolder { folder in
            let path = "\(folder)/store.db"
            let file = open(path, O_CREAT | O_RDWR, 0o600)
            let noise = [UInt8](repeating: 0x41, count: 8192)
            #expect(write(file, noise, noise.count) == noise.count)
            close(file)
            let error = #expect(throws: StoreError.self) { try Database(path: path, migrations: Numbers.migrations) }
            #expect(error?.reason == .damaged)
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("in a folder that is not there is named in the error")
    func missingFolder() {
        let error = #expect(throws: StoreError.self) { try Database(path: "/tmp/no/such/folder/x.db", migrations: []) }
        #expect(error?.reason == .forbidden)
        #expect(error?.description.contains("/tmp/no/such/folder/x.db") == true)
    }
}

@Suite("A connection")
struct ConnectionTests {
    @Test("brings back every kind of value as it was, and uses a statement again")
    func values() throws {
        let connection = try Connection(path: Connection.memory)
        try connection.execute("CREATE TABLE t (a, b, c, d)")
        let texts = ["", "a\0b", "Ålice 爱 🎧", "'; DROP TABLE t; --"]
        for text in texts {
            try connection.run(
                "INSERT INTO t VALUES (?, ?, ?, ?)", [.text(text), .blob(Array(text.utf8)), .integer(.min), .null])
        }
        let rows = try connection.all("SELECT a, b, c, d FROM t") { row in
            "\(row.text(0) ?? "?")|\(row.blob(1).count)|\(row.integer(2))|\(row.text(3) == nil && row.isNull(3))"
        }
        #expect(rows == texts.map { "\($0)|\($0.utf8.count)|\(Int64.min)|true" })
        #expect(try connection.changesOne("UPDATE t SET d = 1 WHERE a = ''", []))
    }

    @Test("keeps a transaction as a whole or not at all")
    func transactions() throws {
        let connection = try Connection(path: Connection.memory)
        try connection.migrate(Numbers.migrations)
        #expect(throws: StoreError.self) {
            try connection.transaction { () throws(StoreError) in
                try connection.run("INSERT INTO numbers VALUES (1)")
                try connection.run("INSERT INTO numbers VALUES (1)")
            }
        }
        let isIdle = !connection.isInTransaction
        #expect(isIdle)
        let count = try connection.first("SELECT count(*) FROM numbers") { row in row.integer(0) }
        #expect(count == 0)
    }
}
