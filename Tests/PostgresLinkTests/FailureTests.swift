import PostgresLink
import Reactor
import TestSupport
import Testing

@Suite("What fails in PostgreSQL")
struct FailureTests {
    @Test(
        "X02.reasons An error of the server has its reason",
        arguments: [
            ("23505", .unique), ("23514", .constraint), ("23503", .constraint), ("40001", .serialization),
            ("40P01", .deadlock), ("55P03", .lockTimeout), ("57014", .statementTimeout), ("53100", .diskFull),
            ("53300", .tooManyConnections), ("25006", .readOnly), ("42601", .other), ("XX000", .other),
        ] as [(String, PostgresError.Reason)])
    func namesReasons(_ state: String, _ reason: PostgresError.Reason) async throws {
        try await withConnection { session in
            let error = await #expect(throws: PostgresError.self) {
                try await session.run("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
            }
            #expect(error?.reason == reason)
            #expect(error?.state == state)
        }
    }

    @Test("X02.reasons A violated constraint is told by its name, without the values")
    func namesConstraints() async throws {
        try await withConnection { session in
            try await session.run(
                "CREATE TABLE t (a text CONSTRAINT once UNIQUE, b bigint CONSTRAINT small CHECK (b < 9))")
            try await session.send("INSERT INTO t VALUES ($1, 1)", [.text("secret")])
            let twice = await #expect(throws: PostgresError.self) {
                try await session.send("INSERT INTO t VALUES ($1, 1)", [.text("secret")])
            }
            #expect(twice?.reason == .unique)
            #expect(twice?.constraint == "once")
            let large = await #expect(throws: PostgresError.self) {
                try await session.send("INSERT INTO t VALUES ($1, 9)", [.text("other")])
            }
            #expect(large?.reason == .constraint)
            #expect(large?.constraint == "small")
            let malformed = await #expect(throws: PostgresError.self) {
                try await session.send("SELECT $1::text::bigint", [.text("secret")])
            }
            #expect(malformed?.state == "22P02")
            #expect(!"\(twice as Any) \(malformed as Any)".contains("secret"))
        }
    }

    @Test("X02.reasons A row that another session holds is waited for no longer than the session says")
    func givesUpLocks() async throws {
        let url = try PostgresServer.shared().freshDatabase()
        var options = PostgresOptions()
        options.lockTimeout = .milliseconds(50)
        var patient = PostgresOptions()
        patient.idleInTransactionTimeout = nil
        try await withConnection(url, patient) { holder in
            try await holder.run("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1)")
            try await holder.run("BEGIN; UPDATE t SET a = 2")
            try await withConnection(url, options) { other in
                let error = await #expect(throws: PostgresError.self) { try await other.send("UPDATE t SET a = 3") }
                #expect(error?.reason == .lockTimeout)
                #expect(error?.mayBeRepeated == true)
            }
        }
    }

    @Test("X02.reasons A transaction whose owner says nothing is ended by the server, which says so")
    func endsIdleTransactions() async throws {
        var options = PostgresOptions()
        options.idleInTransactionTimeout = .milliseconds(50)
        try await withConnection(nil, options) { session in
            let why: PostgresError = await session.ask { connection, _, done in
                connection.onBroken = done
                connection.run(PostgresScript("BEGIN")) { _ in }
            }
            #expect(why.reason == .idleInTransactionTimeout)
            let after = await #expect(throws: PostgresError.self) { try await session.send("SELECT 1") }
            #expect(after?.reason == .broken)
        }
    }

    @Test("X02.reasons A session that an administrator ends says so")
    func tellsShutdown() async throws {
        let server = try PostgresServer.shared()
        try await withConnection { session in
            let process = try await session.send("SELECT pg_backend_pid()") { $0.integer(0, 0) ?? 0 }
            let why: PostgresError = await session.ask { connection, _, done in
                connection.onBroken = done
                _ = try? server.sql("SELECT pg_terminate_backend(\(process))")
            }
            #expect(why.reason == .shutdown)
        }
    }

    @Test("X02.commit What fails at the commit itself is what the sync is told")
    func tellsDeferred() async throws {
        try await withConnection { session in
            try await session.run("CREATE TABLE t (a bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
            let error = await #expect(throws: PostgresError.self) {
                try await session.send("INSERT INTO t VALUES (1), (1)")
            }
            #expect(error?.reason == .unique)
            let count = try await session.send("SELECT count(*) FROM t") { $0.integer(0, 0) }
            #expect(count == 0)
        }
    }

    @Test("X02.abort After an error nothing is carried out up to the sync, and everything behind it")
    func abortsUntilSync() async throws {
        try await withConnection { session in
            try await session.run("CREATE TABLE t (a bigint)")
            let told: [String] = await session.ask { connection, _, done in
                let log = Box<[String]>([])
                func note(_ name: String) -> PostgresConnection.Answer {
                    { result in log.value.append("\(name) \(Self.word(result))") }
                }
                connection.send("INSERT INTO t VALUES (1)", [], note("first"))
                connection.send("SELECT 1 / $1::bigint", [.integer(0)], note("second"))
                connection.send("INSERT INTO t VALUES (2)", [], note("third"))
                connection.sync { log.value.append("sync \($0?.state ?? "fine")") }
                // The text of the third was never parsed; it is known by its name nonetheless.
                connection.send("INSERT INTO t VALUES (2)", [], note("fourth"))
                connection.sync { log.value.append("sync \($0?.state ?? "fine")") }
                connection.send("INSERT INTO t VALUES (2)", [], note("fifth"))
                connection.send("SELECT nonsense", [], note("sixth"))
                connection.sync { log.value.append("sync \($0?.state ?? "fine")") }
                connection.send("SELECT a FROM t", [], note("last"))
                connection.sync { _ in done(log.value) }
            }
            #expect(
                told == [
                    "first fine", "second 22012", "third aborted", "sync 22012", "fourth fine", "sync fine",
                    "fifth fine",
                    "sixth 42703", "sync 42703", "last fine",
                ])
            let kept = try await session.send("SELECT sum(a)::bigint FROM t") { $0.integer(0, 0) }
            #expect(kept == 2)
        }
    }

    @Test("X02.abort A statement whose table has changed is planned anew")
    func plansAnew() async throws {
        try await withConnection { session in
            try await session.run("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1)")
            try await session.send("SELECT * FROM t")
            try await session.run("ALTER TABLE t ADD b bigint DEFAULT 2")
            await #expect(throws: PostgresError.self) { try await session.send("SELECT * FROM t") }
            let columns = try await session.send("SELECT * FROM t") { $0.columnCount }
            #expect(columns == 2)
        }
    }

    @Test("X02.script A script keeps its place between statements, and fails as one")
    func keepsScriptsInOrder() async throws {
        try await withConnection { session in
            let told: [String] = await session.ask { connection, _, done in
                let log = Box<[String]>([])
                func note(_ name: String) -> PostgresConnection.Answer {
                    { result in log.value.append("\(name) \(Self.word(result))") }
                }
                connection.send("SELECT 1", [], note("before"))
                connection.sync { _ in log.value.append("sync") }
                connection.run(PostgresScript("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1)"), note("script"))
                connection.send("SELECT a FROM t", [], note("between"))
                connection.sync { _ in log.value.append("sync") }
                connection.run(PostgresScript("DELETE FROM t; SELECT 1 / 0; DROP TABLE t"), note("bad script"))
                connection.run(PostgresScript(""), note("empty script"))
                connection.send("SELECT a FROM t", [], note("after"))
                connection.sync { _ in done(log.value) }
            }
            #expect(
                told == [
                    "before fine", "sync", "script fine", "between fine", "sync", "bad script 22012",
                    "empty script fine",
                    "after fine",
                ])
        }
    }

    private static func word(_ result: Result<PostgresRows, PostgresError>) -> String {
        switch result {
        case .success: "fine"
        case .failure(let error): error.state.isEmpty ? "\(error.reason)" : error.state
        }
    }
}
