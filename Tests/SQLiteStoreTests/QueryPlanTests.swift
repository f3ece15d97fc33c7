import Testing

@testable import SQLTables
@testable import SQLiteStore

@Suite("The way a question takes")
struct QueryPlanTests {
    /// What SQLite says it will do, step by step.
    private func plan(of sql: String) throws -> [String] {
        let connection = try Connection(path: Connection.memory)
        try connection.migrate(Migration.all)
        return try connection.all("EXPLAIN QUERY PLAN \(sql)") { row in row.text(3) ?? "" }
    }

    @Test("to a user by name goes through the index of names, however many there are")
    func userByName() throws {
        let plan = try self.plan(of: SQLTables.userByName)
        #expect(plan.count == 1)
        #expect(plan.first?.hasPrefix("SEARCH users USING INDEX") == true, "\(plan)")
    }

    @Test("E04 to the number on a badge steps down to each conversation's latest entry, and walks through none")
    func badge() throws {
        let plan = try self.plan(of: SQLTables.unreadOfUser)
        #expect(plan.contains { $0.hasPrefix("SEARCH m USING") && $0.contains("(user=?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("to all conversations of a user goes from one to the next, and sorts nothing")
    func membershipMarks() throws {
        let plan = try self.plan(of: SQLTables.membershipMarks)
        #expect(plan.first?.hasPrefix("SEARCH m USING INDEX members_by_user") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("to what waits in one conversation passes by what waits in others")
    func deliveriesInOne() throws {
        let plan = try self.plan(of: SQLTables.waitingInOne)
        #expect(plan.first?.contains("INDEX deliveries_in_one (<expr>=? AND number>? AND number<?)") == true, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("to the calls of long ago passes by the younger ones")
    func oldCalls() throws {
        let plan = try self.plan(of: SQLTables.removeOldCalls)
        #expect(plan.count == 1)
        #expect(plan.first?.contains("INDEX calls_by_end") == true, "\(plan)")
    }

    @Test("to the reactions under a message goes by steps, however many people put them there")
    func reactions() throws {
        for sql in [
            SQLTables.reactionsUnder, SQLTables.hasReaction, SQLTables.usersReacting,
            SQLTables.firstReacted, SQLTables.lastReacted,
        ] {
            let reads = try self.plan(of: sql).filter { $0.contains("reactions") }
            #expect(!reads.isEmpty && reads.allSatisfy { $0.hasPrefix("SEARCH") }, "\(reads)")
        }
    }
}
