import Keeping
import PostgresLink
import PostgresStore
import TestSupport
import Testing

/// The rows by which a server finds out what became of a commit whose answer was lost.
@Suite("Lanes of servers that come and go")
struct LaneTests {
    @Test("X14 are forgotten when their server was not heard of for a month, and no sooner")
    func old() async throws {
        let (server, name, store) = try LaneProbe.open()
        store.close()
        try server.sql(
            """
            INSERT INTO parley.lanes (name, number, since) VALUES ('long gone', 5, now() - INTERVAL '31 days'),
                ('paused', 7, now() - INTERVAL '29 days')
            """, in: name)
        let next = try PostgresStore(PostgresAddress(server.url(name)))
        defer { next.close() }
        #expect(try await LaneProbe.say("anything", next) == 1)
        let left = try server.sql(
            "SELECT count(*), count(*) FILTER (WHERE name = 'paused'), min(number) FROM parley.lanes", in: name)
        // Those of the two stores, and the one that may come back.
        #expect(left == "3|1|0")
    }

    @Test("X14.paused go on with their own number when their row is gone")
    func paused() async throws {
        let (server, name, store) = try LaneProbe.open()
        defer { store.close() }
        for number in 1...3 { #expect(try await LaneProbe.say("word \(number)", store) == UInt64(number)) }
        try server.sql("DELETE FROM parley.lanes", in: name)
        try LaneProbe.cut(server, name)
        try await LaneProbe.eventually("the lane is back") {
            try server.sql("SELECT count(*) FROM parley.lanes", in: name) == "1"
        }
        for number in 4...6 { #expect(try await LaneProbe.say("word \(number)", store) == UInt64(number)) }
        #expect(try server.sql("SELECT count(*) FROM parley.lanes WHERE number >= 6", in: name) == "1")
    }

    @Test("X14.unknown repeat no commit whose outcome nobody knows any more")
    func unknown() async throws {
        let (server, name, store) = try LaneProbe.open()
        defer { store.close() }
        #expect(try await LaneProbe.say("before", store) == 1)
        // Commits wait for a standby that never comes, so that the answer to one is under way for as long as we like.
        try LaneProbe.wait(for: "nobody", server)
        let waiting = Task { try await LaneProbe.say("is it there?", store) }
        try await LaneProbe.eventually("a commit waits") {
            try server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", in: name) == "1"
        }
        // It has happened when its session ends; the lock keeps the next one from looking before the row is gone.
        try server.sql(
            """
            BEGIN; SET LOCAL synchronous_commit TO local;
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep';
            LOCK TABLE parley.lanes IN ACCESS EXCLUSIVE MODE; DELETE FROM parley.lanes; COMMIT
            """, in: name)
        try LaneProbe.wait(for: "", server)
        await #expect(throws: StoreError.self) { try await waiting.value }
        #expect(try server.sql("SELECT count(*) FROM parley.entries", in: name) == "2")
        #expect(try await LaneProbe.say("after", store) == 3)
    }
}
