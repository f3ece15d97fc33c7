import Testing

@testable import parley

@Suite("A line that is being typed")
struct TypedLineTests {
    private static func type(_ keys: String, into line: inout TypedLine) -> [TypedLine.Outcome] {
        keys.utf8.map { line.received($0) }
    }

    @Test(
        "A typed line is changed by the keys that terminals send",
        arguments: [
            ("hello\n", "hello"), ("helo\u{1B}[Dl\n", "hello"), ("hellox\u{7F}\n", "hello"),
            ("xhello\u{1}\u{4}\n", "hello"),
            ("say hello\u{1}\u{1B}[3~\u{1B}[3~\u{1B}[3~\u{1B}[3~\n", "hello"), ("bye\u{15}hello\n", "hello"),
            ("hello there\u{17}\u{7F}\n", "hello"),
            ("hello there\u{1B}[1~\u{1B}OC\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[C\u{B}\n", "hello"),
            ("你好😀\u{7F}!\r", "你好!"), ("e\u{301}\u{7F}e\n", "e"), ("\u{1B}[200~hello\u{1B}[201~\n", "hello"),
            ("\u{7F}\u{1B}[D\u{17}\u{15}\u{B}hello\t\u{1B}x\n", "hello"),
        ])
    func keys(typed: String, expected: String) {
        var line = TypedLine()
        let outcomes = Self.type(typed, into: &line)
        #expect(outcomes.last == .line(expected))
        #expect(line.text.isEmpty && line.cursor == 0)
    }

    @Test("A typed line ends the input by Control-C, and by Control-D when it is empty")
    func end() {
        var line = TypedLine()
        #expect(Self.type("\u{4}", into: &line).last == .ended)
        #expect(Self.type("a\u{4}", into: &line).last == .changed)
        #expect(Self.type("\u{3}", into: &line).last == .ended)
    }

    @Test("A typed line that is longer than the screen shows the part around its cursor")
    func window() {
        var line = TypedLine()
        _ = Self.type("abcdefghij", into: &line)
        #expect(line.shown(columns: 4) == ("ghij", 0))
        _ = Self.type("\u{1}\u{1B}[C", into: &line)
        #expect(line.shown(columns: 4) == ("abcd", 3))
        var wide = TypedLine()
        _ = Self.type("你好吗", into: &wide)
        #expect(wide.shown(columns: 4) == ("好吗", 0))
    }

    @Test("A typed line takes so much, and nothing that a stranger's keyboard sends breaks it")
    func bounds() {
        var line = TypedLine()
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100_000 { _ = line.received(.random(in: 0...255, using: &random)) }
        #expect(line.cursor <= line.text.count && line.text.count <= TypedLine.maximumCharacters)
        _ = line.shown(columns: 0)
    }
}
