import Journal
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A log line")
struct LogFormatTests {
    let text = LogFormat(.text(colours: false))
    let json = LogFormat(.json)

    @Test("shows time, level, event, message and fields in order")
    func people() {
        let event = recorded([
            .address: "127.0.0.1:8080", .count: 3, .duration: .duration(.milliseconds(1500)), .status: true,
        ])
        #expect(
            self.text.line(of: event)
                == "2026-11-20T07:03:01.007Z info     test.tried: Tried it address=127.0.0.1:8080 count=3 duration=1.5 status=true"
        )
        #expect(
            self.json.line(of: event)
                == #"{"time":"2026-11-20T07:03:01.007Z","level":"info","event":"test.tried","message":"Tried it","#
                + #""address":"127.0.0.1:8080","count":3,"duration":1.5,"status":true}"#
        )
    }

    @Test(
        "quotes what could be taken for something else",
        arguments: [
            ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""), ("say \"hi\"", #""say \"hi\"""#),
            (#"a\b"#, #""a\\b""#), ("a\nb", #""a\nb""#), ("\u{1B}[31m", #""\u{1b}[31m""#),
            ("a\u{202E}b", #""a\u{202e}b""#),
            ("a\u{2028}b", #""a\u{2028}b""#), ("a\u{85}b", #""a\u{85}b""#), ("早上好", "早上好"),
            ("a\u{A0}b", "\"a\u{A0}b\""),
            ("\u{0}", #""\u{0}""#),
        ]
    )
    func textEscapes(value: String, shown: String) {
        #expect(self.text.line(of: recorded([.path: .plain(value)])).hasSuffix(" path=\(shown)"))
    }

    @Test(
        "is one JSON value whatever it holds",
        arguments: [
            ("", "\"\""), ("say \"hi\"", #""say \"hi\"""#), (#"a\b"#, #""a\\b""#), ("a\nb\r\t", #""a\nb\r\t""#),
            ("\u{1B}\u{0}", #""\u001b\u0000""#), ("a\u{2028}b", #""a\u2028b""#), ("早上好", "\"早上好\""),
            ("\u{E0001}", #""\udb40\udc01""#), ("\u{7F}", #""\u007f""#),
        ]
    )
    func jsonEscapes(value: String, shown: String) {
        #expect(self.json.line(of: recorded([.path: .plain(value)])).hasSuffix(#","path":\#(shown)}"#))
    }

    @Test(
        "writes numbers that JSON can hold",
        arguments: [(Double.nan, "null"), (.infinity, "null"), (0.25, "0.25"), (1e300, "1e+300")])
    func numbers(value: Double, shown: String) {
        #expect(self.json.line(of: recorded([.count: .number(value)])).hasSuffix(#","count":\#(shown)}"#))
    }

    @Test("keeps a long text short, between two characters")
    func long() {
        let line = self.text.line(of: recorded([.path: .plain(String(repeating: "早", count: 100_000))]))
        #expect(line.hasSuffix("path=" + String(repeating: "早", count: 341) + "…"))
    }

    @Test("holds no control character, whatever a stranger sends")
    func noise() {
        var random = SeededRandom(seed: 2026)
        for _ in 0..<2000 {
            let value = String(decoding: random.bytes(Int.random(in: 0..<40, using: &random)), as: UTF8.self)
            for format in [self.text, self.json] {
                let line = format.line(of: recorded([.path: .plain(value)]))
                #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
            }
        }
    }

    @Test("has colours for a person alone")
    func colours() {
        let event = recorded([:])
        #expect(LogFormat(.text(colours: true)).line(of: event).contains("\u{1B}[32minfo\u{1B}[0m "))
        #expect(!self.text.line(of: event).contains("\u{1B}"))
    }

    @Test("clamps a number beyond 64 bits")
    func clamped() {
        #expect(self.text.line(of: recorded([.count: .integer(UInt64.max)])).hasSuffix("count=9223372036854775807"))
    }
}

@Suite("A log time")
struct LogTimeTests {
    @Test(
        "is RFC 3339 in UTC",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.000Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
        ]
    )
    func dates(seconds: Int64, shown: String) {
        #expect(LogTime(secondsSince1970: seconds).description == shown)
    }

    @Test("agrees with the C library on any day")
    func agrees() {
        var random = SeededRandom(seed: 1582)
        for _ in 0..<2000 {
            var time = time_t.random(in: -2_000_000_000...60_000_000_000, using: &random)
            var parts = tm()
            gmtime_r(&time, &parts)
            var buffer = [CChar](repeating: 0, count: 64)
            let length = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S.000Z", &parts)
            let expected = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            #expect(LogTime(secondsSince1970: Int64(time)).description == expected)
        }
    }

    @Test("stands near the clock of the system")
    func now() {
        let seconds = Int64(time(nil))
        #expect((seconds - 1...seconds + 60).contains(LogTime.now().secondsSince1970))
        #expect((0..<1000).contains(LogTime.now().milliseconds))
    }
}
