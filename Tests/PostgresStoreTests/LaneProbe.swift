import Conversing
import Keeping
import MemoryStore
import PostgresLink
import PostgresStore
import System
import TestSupport
import Testing
import Vocabulary

/// A store over a PostgreSQL of its own, and what can befall it.
enum LaneProbe {
    static func open() throws -> (PostgresServer, String, PostgresStore) {
        let server = try PostgresServer()
        let url = try server.freshDatabase()
        let name = String(url.split(separator: "/").last ?? "")
        return (server, name, try PostgresStore(PostgresAddress(url)))
    }

    static func cut(_ server: PostgresServer, _ name: String) throws {
        try server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley'", in: name)
    }

    static func wait(for standby: String, _ server: PostgresServer) throws {
        try server.sql("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        try server.sql("SELECT pg_reload_conf()")
        // The process that wakes and holds commits has read it, too, when it has written the log once more.
        try server.sql("SET synchronous_commit TO local; CHECKPOINT")
    }

    static func eventually(_ what: String, _ holds: () throws -> Bool) async throws {
        for _ in 0..<1000 {
            if try holds() { return }
            await Task.yield()
        }
        Issue.record("still not true: \(what)")
    }

    /// Keeps a table from everybody until `go_on` is there as well, and cuts the store's sessions before it lets go.
    static func hold(_ table: String, _ server: PostgresServer, _ name: String) -> Box<Result<String, any Error>?> {
        let ended = Box<Result<String, any Error>?>(nil)
        let script = """
            DO $$ BEGIN
            LOCK TABLE parley.\(table) IN ACCESS EXCLUSIVE MODE;
            WHILE NOT EXISTS (SELECT FROM pg_class WHERE relname = 'go_on') LOOP PERFORM pg_sleep(0.01); END LOOP;
            PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parley';
            END $$
            """
        let ask: @Sendable () -> Void = { ended.value = Result { try server.sql(script, in: name) } }
        let hasStarted = Thread.start(ask, atEnd: {})
        precondition(hasStarted)
        return ended
    }

    /// The number of a message between two people.
    static func say(_ text: String, _ store: PostgresStore) async throws -> UInt64 {
        try await store.ask(self.message(text)).get().entry.number
    }

    /// The answer comes on the store's own thread: the number, or nil when it was refused.
    static func say(_ text: String, _ store: PostgresStore, _ answered: @escaping @Sendable (UInt64?) -> Void) {
        store.send(self.message(text)) { answer in answered(try? answer.get().get().entry.number) }
    }

    /// The numbers of messages that are sent at once, in the order of the answers; nil for one that was refused.
    static func sayAll(_ texts: [String], _ store: PostgresStore) -> AsyncStream<UInt64?> {
        let (stream, answers) = AsyncStream<UInt64?>.makeStream()
        for text in texts { self.say(text, store) { answers.yield($0) } }
        return stream
    }

    private static func message(_ text: String) -> ChangeRequest {
        let body = MessageBody(proven: Array("{\"text\":\"\(text)\"}".utf8))
        let people = ["anna", "ben"].compactMap { UserID($0) }
        var random = SystemRandomNumberGenerator()
        return ChangeRequest(
            .user(people[1], new: ConversationID(RandomToken(using: &random))), .post(Draft(.text, body)),
            by: people[0], at: WallTime(seconds: 1_700_000_000))
    }
}
