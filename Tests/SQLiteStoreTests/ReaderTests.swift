import Keeping
import System
import Testing

import SQLTables
@testable import SQLiteStore

extension Numbers {
    struct Look: Work {
        static let access = StoreAccess.readsCommitted

        func perform(on connection: Connection) throws(StoreError) -> [Int64] {
            try Numbers.All().perform(on: connection)
        }
    }

    /// Claims only to look.
    struct Sneak: Work {
        static let access = StoreAccess.readsCommitted

        func perform(on connection: Connection) throws(StoreError) -> Bool {
            try Numbers.Add(number: 1).perform(on: connection)
        }
    }
}

@Suite("A reader beside the writer of a database")
struct ReaderTests {
    @Test("does not wait for whoever writes")
    func beside() async throws {
        try await withFolder { folder in
            let database = try Database(path: "\(folder)/store.db", migrations: Numbers.migrations)
            _ = try await database.ask(Numbers.Add(number: 1))
            let (gate, held) = (Gate(), Gate())
            database.send(Numbers.Add(number: 2)) { _ in }
            database.send(
                Numbers.Hold {
                    held.open(); gate.wait()
                }
            ) { _ in }
            held.wait()
            let seen = try await database.ask(Numbers.Look())
            #expect(seen == [1] || seen == [1, 2], "what is committed, whichever group the second was in")
            gate.open()
            database.close()
        }
    }

    @Test("sees everything that was answered before")
    func fresh() async throws {
        try await withFolder { folder in
            let database = try Database(path: "\(folder)/store.db", migrations: Numbers.migrations)
            for number: Int64 in 0..<200 {
                _ = try await database.ask(Numbers.Add(number: number))
                #expect(try await database.ask(Numbers.Look()).last == number)
            }
            database.close()
        }
    }

    @Test("A reader of the database cannot write to it")
    func readOnly() async throws {
        try await withFolder { folder in
            let database = try Database(path: "\(folder)/store.db", migrations: Numbers.migrations)
            await #expect(throws: StoreError.self) { try await database.ask(Numbers.Sneak()) }
            #expect(try await database.ask(Numbers.Look()) == [])
            database.close()
            await #expect(throws: StoreError(.closed, database: "\(folder)/store.db", detail: "")) {
                try await database.ask(Numbers.Look())
            }
        }
    }
}
