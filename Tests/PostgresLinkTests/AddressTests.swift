import PostgresLink
import TestSupport
import Testing

@Suite("The URL of a PostgreSQL")
struct AddressTests {
    @Test("X06.url A URL says where, who and how")
    func readsAll() throws {
        let text = """
            postgresql://al%69ce:p%40ss@db1.example:5433,[2001:db8::1]:6000,10.0.0.1/chat%20room\
            ?sslmode=verify-ca&sslrootcert=/a/b.pem&target_session_attrs=any&connect_timeout=3
            """
        let address = try PostgresAddress(text)
        #expect(address.hosts.map(\.name) == ["db1.example", "2001:db8::1", "10.0.0.1"])
        #expect(address.hosts.map(\.port) == [5433, 6000, 5432])
        #expect(address.user == "alice")
        #expect(address.database == "chat room")
        #expect(address.security == .verifyCA)
        #expect(address.authorities == "/a/b.pem")
        #expect(address.target == .any)
        #expect(address.connectTimeout == .seconds(3))
    }

    @Test(
        "X06.url TLS is verified unless every host is on this machine or the URL says otherwise",
        arguments: [
            ("db.example", .verifyFull), ("10.0.0.1", .verifyFull), ("localhost", .prefer), ("127.0.0.9", .prefer),
            ("[::1]", .prefer), ("%2Frun%2Fpostgresql", .prefer), ("localhost,db.example", .verifyFull),
            ("db.example/x?sslmode=disable", .disable), ("localhost/x?sslmode=verify-full", .verifyFull),
        ] as [(String, PostgresAddress.Security)])
    func verifiesByDefault(_ rest: String, _ security: PostgresAddress.Security) throws {
        #expect(try PostgresAddress("postgresql://\(rest)").security == security)
    }

    @Test("X06.url A socket's folder may stand as a parameter, as others write it")
    func takesFolderAsParameter() throws {
        let address = try PostgresAddress("postgres:///chat?host=/run/postgresql&port=5433&user=bob&password=x")
        #expect(address.hosts == (try PostgresAddress("postgres://%2Frun%2Fpostgresql:5433/")).hosts)
        #expect(address.user == "bob")
        #expect(address.target == .readWrite)
    }

    @Test("X06.secret A URL prints without its password, however it is printed")
    func hidesPassword() throws {
        for text in ["postgresql://al:hidden@h:1/d", "postgresql://h:1/d?user=al&password=hidden"] {
            let address = try PostgresAddress(text)
            var dumped = ""
            dump(address, to: &dumped)
            #expect("\(address)" == "postgresql://al@h:1/d")
            #expect(!"\(address) \(String(reflecting: address)) \(dumped)".contains("hidden"))
        }
    }

    @Test(
        "X06.mistakes A mistake in a URL is named, without the password",
        arguments: [
            ("mysql://h/d", "begins with neither postgresql:// nor postgres://"), ("postgresql:///d", "names no host"),
            ("postgresql://a,,b/d", "names no host"), ("postgresql://h:0/d", "has a port that is not 1 to 65535"),
            ("postgresql://h:65536/d", "has a port that is not 1 to 65535"),
            ("postgresql://[h]/d", "has brackets around something that is no IPv6 address"),
            ("postgresql://[::1/d", "has brackets around something that is no IPv6 address"),
            ("postgresql://u:%zz@h/d", "the password is not percent-encoded UTF-8 without zero bytes"),
            ("postgresql://u:%00@h/d", "the password is not percent-encoded UTF-8 without zero bytes"),
            ("postgresql://h/%ff", "the database's name is not percent-encoded UTF-8 without zero bytes"),
            ("postgresql://h/d?sslmode", "a parameter has to be written as name=value"),
            ("postgresql://h/d?a=1&a=2", "has the parameter a twice"),
            ("postgresql://h/d?options=-c", "has a parameter that is not known: options"),
            (
                "postgresql://h/d?sslmode=yes",
                "sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full"
            ),
            ("postgresql://h/d?connect_timeout=0", "connect_timeout must be 1 to 600 seconds"),
            ("postgresql://h/d?host=/x", "names its host twice, before the database and as a parameter"),
            ("postgresql://" + String(repeating: "h,", count: 16) + "h/d", "names more than 16 hosts"),
            ("postgresql://" + String(repeating: "h", count: 4096), "longer than 4096 bytes"),
        ])
    func namesMistakes(_ text: String, _ mistake: String) {
        let error = #expect(throws: PostgresAddress.Mistake.self) { try PostgresAddress(text) }
        #expect(error?.description == mistake)
    }

    @Test("X06.mistakes Whatever stands in a URL, it is an address or a mistake")
    func survivesAnything() {
        var random = SeededRandom(seed: 17)
        let pieces = [
            "postgresql://", "%", "%2F", "@", ":", ",", "/", "?", "&", "=", "[", "]", "host", "port", "é", "0", "99999",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let text =
                "postgresql://"
                + (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }.joined()
            guard let address = try? PostgresAddress(text) else { continue }
            #expect((1...PostgresAddress.mostHosts).contains(address.hosts.count))
            #expect(address.hosts.allSatisfy { !$0.name.isEmpty && $0.port > 0 })
        }
    }
}
