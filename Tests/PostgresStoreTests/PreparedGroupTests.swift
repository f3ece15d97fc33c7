import PostgresLink
import PostgresStore
import System
import TestSupport
import Testing

/// What is asked while a group is committed.
@Suite("Groups that are prepared")
struct PreparedGroupTests {
    @Test("X20.prepared leave together when the commit before them is through")
    func together() async throws {
        let (server, name, store) = try LaneProbe.open()
        defer { store.close() }
        #expect(try await LaneProbe.say("before", store) == 1)
        let number = try server.sql("SELECT max(number) FROM parley.lanes", in: name)
        try LaneProbe.wait(for: "nobody", server)
        var answers = LaneProbe.sayAll((0...20).map { "word \($0)" }, store).makeAsyncIterator()
        try await LaneProbe.eventually("a commit waits") {
            try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", in: name) == "1"
        }
        try LaneProbe.wait(for: "", server)
        for number in 2...22 { #expect(await answers.next() == UInt64(number)) }
        // The first may have left alone.
        let groups = try server.sql("SELECT max(number) - \(number) FROM parley.lanes", in: name)
        #expect(["1", "2"].contains(groups))
    }

    @Test("X20.prepared begin anew when the commit before them has not happened")
    func anew() async throws {
        let (server, name, store) = try LaneProbe.open()
        defer { store.close() }
        #expect(try await LaneProbe.say("before", store) == 1)
        let held = LaneProbe.hold("entries", server, name)
        try await LaneProbe.eventually("the table is held") {
            try server.sql(
                """
                SELECT count(*) > 0 FROM pg_locks
                WHERE granted AND mode = 'AccessExclusiveLock' AND relation = 'parley.entries'::regclass
                """, in: name) == "t"
        }
        var answers = LaneProbe.sayAll((0...20).map { "word \($0)" }, store).makeAsyncIterator()
        try await LaneProbe.eventually("a group waits") {
            try server.sql("SELECT count(*) > 0 FROM pg_locks WHERE NOT granted", in: name) == "t"
        }
        try server.sql("CREATE TABLE public.go_on ()", in: name)
        for number in 2...22 { #expect(await answers.next() == UInt64(number)) }
        #expect(try server.sql("SELECT count(*), max(id & 4294967295) FROM parley.entries", in: name) == "22|22")
        _ = try held.value?.get()
    }

    @Test("X10.paused a server that stands still between a write and its commit holds up the others only for a while")
    func paused() async throws {
        let (server, name, store) = try LaneProbe.open()
        let other = try PostgresStore(PostgresAddress(server.url(name)))
        let gate = Gate()
        defer {
            gate.open()
            store.close()
            other.close()
        }
        #expect(try await LaneProbe.say("before", store) == 1)
        try LaneProbe.wait(for: "nobody", server)
        let (standing, stands) = AsyncStream<Void>.makeStream()
        // The answer to this one keeps the store's loop, when what is said next has been written and not committed.
        LaneProbe.say("first", store) { _ in
            stands.yield()
            gate.wait()
        }
        try await LaneProbe.eventually("a commit waits") {
            try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", in: name) == "1"
        }
        var late = LaneProbe.sayAll(["second"], store).makeAsyncIterator()
        try LaneProbe.wait(for: "", server)
        for await _ in standing { break }
        #expect(try await LaneProbe.say("third", other) == 3)
        gate.open()
        #expect(await late.next() == 4)
    }
}
