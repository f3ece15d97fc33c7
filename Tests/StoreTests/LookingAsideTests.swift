import System
import Testing

@testable import Store

extension Numbers {
    struct Look: StoreRequest {
        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> [Int64] {
            try Numbers.All().perform(on: connection)
        }
    }

    /// Claims only to look.
    struct Sneak: StoreRequest {
        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try Numbers.Add(number: 1).perform(on: connection)
        }
    }
}

@Suite("Who only looks at a database")
struct LookingAsideTests {
    @Test("does not wait for whoever writes")
    func beside() async throws {
        try await withFolder { folder in
            let database = try Database(path: "\(folder)/store.db", migrations: Numbers.migrations)
            _ = try await ask { database.send(Numbers.Add(number: 1), $0) }
            let (gate, held) = (Gate(), Gate())
            database.send(Numbers.Add(number: 2)) { _ in }
            database.send(
                Numbers.Hold {
                    held.open(); gate.wait()
                }
            ) { _ in }
            held.wait()
            let seen = try await ask { database.send(Numbers.Look(), $0) }
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
                _ = try await ask { database.send(Numbers.Add(number: number), $0) }
                #expect(try await ask { database.send(Numbers.Look(), $0) }.last == number)
            }
            database.close()
        }
    }

    @Test("cannot write")
    func readOnly() async throws {
        try await withFolder { folder in
            let database = try Database(path: "\(folder)/store.db", migrations: Numbers.migrations)
            await #expect(throws: StoreError.self) { try await ask { database.send(Numbers.Sneak(), $0) } }
            #expect(try await ask { database.send(Numbers.Look(), $0) } == [])
            database.close()
            await #expect(throws: StoreError(.closed, file: "\(folder)/store.db", detail: "")) {
                try await ask { database.send(Numbers.Look(), $0) }
            }
        }
    }
}
