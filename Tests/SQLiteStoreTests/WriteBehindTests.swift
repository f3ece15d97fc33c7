import Keeping
import Testing

import SQLTables
@testable import SQLiteStore

extension Numbers {
    struct AddBehind: Work {
        let number: Int64
        static let access = StoreAccess.writesBehind

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            guard try !Numbers.All().perform(on: connection).contains(self.number) else { return false }
            return try Numbers.Add(number: self.number).perform(on: connection)
        }
    }
}

@Suite("Write-behind")
struct WriteBehindTests {
    private func open(_ folder: String, _ maximumDelay: Duration = .seconds(3600)) throws -> Database {
        try Database(path: "\(folder)/store.db", migrations: Numbers.migrations, maximumDelay: maximumDelay)
    }

    @Test("is committed together with the next write that waits for its commit")
    func together() async throws {
        try await withFolder { folder in
            let database = try self.open(folder)
            for number: Int64 in 0..<100 { #expect(try await database.ask(Numbers.AddBehind(number: number))) }
            #expect(database.statistics.commits == 0)
            _ = try await database.ask(Numbers.Add(number: 100))
            #expect(database.statistics.commits == 1)
            database.close()
        }
    }

    @Test("is seen by a reader that asks after the answer")
    func seen() async throws {
        try await withFolder { folder in
            let database = try self.open(folder)
            for number: Int64 in 0..<100 {
                _ = try await database.ask(Numbers.AddBehind(number: number))
                #expect(try await database.ask(Numbers.Look()).last == number)
            }
            database.close()
        }
    }

    @Test("lets readers read beside the writer when nothing was written")
    func nothingWritten() async throws {
        try await withFolder { folder in
            let database = try self.open(folder)
            _ = try await database.ask(Numbers.Add(number: 1))
            #expect(try await database.ask(Numbers.AddBehind(number: 1)) == false)
            let before = database.statistics.commits
            #expect(try await database.ask(Numbers.Look()) == [1])
            #expect(database.statistics.commits == before, "it had no turn among the writers")
            database.close()
        }
    }

    @Test("is committed after the maximum delay, and when the database is closed", .timeLimit(.minutes(1)))
    func alone() async throws {
        try await withFolder { folder in
            let first = try self.open(folder, .milliseconds(1))
            _ = try await first.ask(Numbers.AddBehind(number: 1))
            while first.statistics.commits == 0 {
                // The time limit ends it.
                try Task.checkCancellation()
                await Task.yield()
            }
            first.close()
            let second = try self.open(folder)
            _ = try await second.ask(Numbers.AddBehind(number: 2))
            second.close()
            let third = try self.open(folder)
            #expect(try await third.ask(Numbers.All()) == [1, 2])
            third.close()
        }
    }

    @Test("is rolled back with a request of a later group that fails")
    func failure() async throws {
        try await withFolder { folder in
            let database = try self.open(folder)
            _ = try await database.ask(Numbers.AddBehind(number: 1))
            await #expect(throws: StoreError.self) { try await database.ask(Numbers.AddTwiceTogether(number: 2)) }
            #expect(try await database.ask(Numbers.AddBehind(number: 1)), "the failure took it back")
            #expect(try await database.ask(Numbers.All()) == [1])
            database.close()
        }
    }
}
