import PostgresLink
import TestSupport
import Testing

@Suite("Which PostgreSQL is spoken to")
struct HostTests {
    private static func reason(_ url: String) async throws -> PostgresError? {
        await #expect(throws: PostgresError.self) { try await withConnection(url) { _ in } }
    }

    @Test("X05.hosts Where the first host is down the next is taken")
    func takesNextHost() async throws {
        let url = try PostgresServer.shared().url()
        let both = url.replacingFirst("@", with: "@%2Fnowhere,127.0.0.1:1,")
        try await withConnection(both) { session in
            let one = try await session.send("SELECT 1") { $0.integer(0, 0) }
            #expect(one == 1)
        }
        #expect(try await Self.reason("postgresql://parley@%2Fnowhere,127.0.0.1:1/x")?.reason == .unreachable)
        #expect(try await Self.reason("postgresql://parley@no.such.host.invalid/x")?.reason == .unreachable)
    }

    @Test("X05.hosts A host in recovery is passed over, unless a standby is wanted")
    func passesOverStandby() async throws {
        let standby = try PostgresServer(isStandby: true)
        let server = try PostgresServer.shared()
        let both = standby.url().replacingFirst(
            "@", with: "@%2F" + server.folder.dropFirst().replacing("/", with: "%2F") + ",")
        let reversed = server.url().replacingFirst(
            "@", with: "@%2F" + standby.folder.dropFirst().replacing("/", with: "%2F") + ",")
        for (url, isStandby) in [
            (reversed, false), (both + "?target_session_attrs=standby", true),
            (both + "?target_session_attrs=prefer-standby", true), (reversed + "?target_session_attrs=any", true),
            (reversed + "?target_session_attrs=primary", false),
            (server.url() + "?target_session_attrs=prefer-standby", false),
        ] {
            try await withConnection(url) { session in
                let found = try await session.send("SELECT pg_is_in_recovery()") { $0.integer(0, 0) }
                #expect(found == (isStandby ? 1 : 0), "\(url)")
            }
        }
        #expect(try await Self.reason(standby.url())?.reason == .readOnly)
    }

    @Test("X05.tls Over TCP the server's certificate is verified, and its name; who cannot prove it is refused")
    func verifiesServer() async throws {
        let certificate = try TestCertificate("DNS:localhost")
        let other = try TestCertificate("DNS:localhost")
        let server = try PostgresServer(acceptsTCP: true, certificate: certificate)
        try server.sql("CREATE ROLE alice LOGIN PASSWORD 'se:cr@t/'")
        func url(_ host: String, _ more: String) -> String {
            "postgresql://alice:se%3Acr%40t%2F@\(host):\(server.port)/postgres?\(more)"
        }
        let trusted = "sslmode=verify-full&sslrootcert=\(certificate.authority)"
        try await withConnection(url("localhost", trusted)) { session in
            let encrypted = try await session.send(
                "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            ) { $0.integer(0, 0) }
            #expect(encrypted == 1)
        }
        for (host, more) in [
            ("localhost", "sslmode=verify-full&sslrootcert=\(other.authority)"),
            ("localhost", "sslmode=verify-full"), ("127.0.0.1", trusted),
        ] {
            #expect(try await Self.reason(url(host, more))?.reason == .untrusted, "\(host) \(more)")
        }
        try await withConnection(url("127.0.0.1", "sslmode=verify-ca&sslrootcert=\(certificate.authority)")) { _ in }
    }

    @Test("X05.tls A large answer in TLS comes without a pause at the ends of its records")
    func readsWholeRecords() async throws {
        let certificate = try TestCertificate("DNS:localhost")
        let server = try PostgresServer(acceptsTCP: true, certificate: certificate)
        try server.sql("CREATE ROLE alice LOGIN PASSWORD 'secret'")
        let url = "postgresql://alice:secret@localhost:\(server.port)/postgres"
        try await withConnection(url + "?sslmode=verify-full&sslrootcert=\(certificate.authority)") { session in
            for length in [8_000, 8_192, 16_384, 16_385, 100_000, 3_000_000] {
                let text = "SELECT repeat('x', $1::bigint::int)"
                let count = try await session.send(text, [.integer(Int64(length))]) { $0.text(0, 0)?.utf8.count }
                #expect(count == length)
            }
        }
    }

    @Test("X05.password A password is proven by SCRAM, and a wrong or missing one says so")
    func provesPassword() async throws {
        let server = try PostgresServer(acceptsTCP: true)
        try server.sql("CREATE ROLE alice LOGIN PASSWORD 'secret'")
        let kept = try server.sql("SELECT rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname = 'alice'")
        #expect(kept == "t")
        func url(_ who: String, _ database: String = "postgres") -> String {
            "postgresql://\(who)@127.0.0.1:\(server.port)/\(database)"
        }
        try await withConnection(url("alice:secret")) { _ in }
        let wrong = try await Self.reason(url("alice:wrong-secret"))
        #expect(wrong?.reason == .authentication)
        #expect(wrong?.state == "28P01")
        #expect(!"\(wrong as Any)".contains("wrong-secret"))
        #expect(try await Self.reason(url("alice"))?.reason == .authentication)
        #expect(try await Self.reason(url("alice:secret", "none"))?.reason == .noSuchDatabase)
        try server.sql("ALTER ROLE alice CONNECTION LIMIT 0")
        #expect(try await Self.reason(url("alice:secret"))?.reason == .tooManyConnections)
    }

    @Test(
        "X05.pooler A pooler in between is refused with a sentence", arguments: ["transaction", "statement", "session"])
    func refusesPooler(_ mode: String) async throws {
        let server = try PostgresServer.shared()
        for ignoring in ["", "options"] {
            let bouncer = try PgBouncer(mode, ignoring: ignoring, before: server)
            let error = try await Self.reason(bouncer.url())
            #expect(error?.reason == .pooled, "\(ignoring): \(error as Any)")
            #expect(error?.message.contains("PgBouncer") == true)
        }
    }
}

extension String {
    fileprivate func replacingFirst(_ text: String, with other: String) -> String {
        guard let range = self.firstRange(of: text) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
