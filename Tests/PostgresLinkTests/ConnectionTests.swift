import PostgresLink
import TestSupport
import Testing

@Suite("A connection to PostgreSQL")
struct ConnectionTests {
    @Test("X01.values Numbers travel whole to PostgreSQL and back", arguments: [0, 1, -1, Int64.max, .min])
    func carriesNumbers(_ number: Int64) async throws {
        try await withConnection { session in
            let back = try await session.send("SELECT $1::bigint", [.integer(number)]) { $0.integer(0, 0) }
            #expect(back == number)
        }
    }

    @Test("X01.values Texts travel whole to PostgreSQL and back", arguments: ["", "a", "漢字 🙂 \u{301}", #"'"\"#])
    func carriesTexts(_ text: String) async throws {
        try await withConnection { session in
            let back = try await session.send("SELECT $1::text", [.text(text)]) { $0.text(0, 0) }
            #expect(back == text)
        }
    }

    @Test("X01.values Bytes of any length travel whole, zeros among them", arguments: [0, 1, 255, 3_000_000])
    func carriesBytes(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try await withConnection { session in
            let back = try await session.send("SELECT $1::bytea", [.bytes(bytes)]) { $0.bytes(0, 0) }
            #expect(back == bytes)
        }
    }

    @Test("X01.values NULL is neither empty nor zero")
    func tellsNullApart() async throws {
        try await withConnection { session in
            let values: [PostgresValue] = [.null, .text(""), .bytes([])]
            let nulls = try await session.send("SELECT $1::bigint, $2::text, $3::bytea", values) { rows in
                (0..<3).map { rows.isNull(0, $0) } + [rows.integer(0, 0) == nil, rows.text(0, 0) == nil]
            }
            #expect(nulls == [true, false, false, true, true])
        }
    }

    @Test("X01.values Lists travel as arrays, with what is missing in them")
    func carriesArrays() async throws {
        try await withConnection { session in
            let values: [PostgresValue] = [
                .integers([1, nil, .min]), .texts(["", nil, "漢"]), .byteArrays([[], nil, [0, 1]]),
            ]
            let text = "SELECT a, b, c FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS t(a, b, c)"
            let back = try await session.send(text, values) { rows in
                (0..<rows.count).map {
                    "\(rows.integer($0, 0) as Any) \(rows.text($0, 1) as Any) \(rows.bytes($0, 2) as Any)"
                }
            }
            #expect(
                back == [
                    #"Optional(1) Optional("") Optional([])"#, "nil nil nil",
                    #"Optional(-9223372036854775808) Optional("漢") Optional([0, 1])"#,
                ])
            let none = try await session.send("SELECT cardinality($1::bigint[])", [.integers([])]) { $0.integer(0, 0) }
            #expect(none == 0)
        }
    }

    @Test("X01.rows A change says how many rows it was about")
    func countsChanges() async throws {
        try await withConnection { session in
            try await session.run("CREATE TABLE t (a bigint); INSERT INTO t VALUES (1), (2), (3)")
            let changed = try await session.send("UPDATE t SET a = a + 1 WHERE a > $1", [.integer(1)]) { $0.changed }
            #expect(changed == 2)
            let shape = try await session.send("SELECT a, a, a FROM t") { [$0.count, $0.columnCount] }
            #expect(shape == [3, 3])
        }
    }

    @Test("X01.settings A session has its limits and its plans from the first moment")
    func setsSession() async throws {
        var options = PostgresOptions()
        options.applicationName = "parley of a test"
        options.searchPath = #"one, "tw o""#
        try await withConnection(nil, options) { session in
            let names = [
                "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "enable_seqscan",
                "enable_hashjoin", "jit", "plan_cache_mode", "client_encoding", "application_name", "search_path",
            ]
            let text = "SELECT current_setting(n) FROM unnest($1::text[]) WITH ORDINALITY AS t(n, o) ORDER BY o"
            let set = try await session.send(text, [.texts(names)]) { rows in (0..<rows.count).map { rows.text($0, 0) }
            }
            #expect(
                set == [
                    "5s", "1s", "2s", "off", "off", "off", "force_generic_plan", "UTF8", "parley of a test",
                    #"one, "tw o""#,
                ])
        }
    }
}
