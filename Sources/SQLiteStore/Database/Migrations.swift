internal import Keeping
internal import SQLTables

extension Connection {
    /// Brings the tables to the form this program knows. Each step happens as a whole or not at all.
    func migrate(_ steps: [Migration]) throws(StoreError) {
        let version = try self.version()
        guard version <= steps.count else {
            throw StoreError(.tooNew(version: version), database: self.file, detail: "user_version is \(version)")
        }
        for (index, step) in steps.enumerated().dropFirst(version) {
            try self.transaction { () throws(StoreError) in
                try self.execute(step.script)
                // Pragmas take no values from outside; this one is our own count.
                try self.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    func version() throws(StoreError) -> Int {
        try self.first("PRAGMA user_version") { row in Int(row.integer(0)) } ?? 0
    }

    /// Keeps what `body` did when it comes back, and nothing of it when it throws.
    func transaction<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try self.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let value = try body()
            try self.run("COMMIT")
            return value
        } catch {
            if self.isInTransaction { try self.run("ROLLBACK") }
            throw error
        }
    }
}
