import Testing
import Vocabulary

@Suite("A stranger's text on a terminal")
struct PlainTextTests {
    @Test(
        "A stranger's text steers no terminal",
        arguments: ["\u{1B}[2J", "\u{9B}31m", "\u{7}", "\r", "\u{202E}", "\u{2066}", "\u{2028}", "\u{7F}", "\u{0}"])
    func controls(text: String) {
        #expect(PlainText.of("a\(text)b", keepsLines: true).hasPrefix("a\u{FFFD}"))
    }

    @Test("A stranger's text keeps its letters, and its lines where it may have them")
    func letters() {
        #expect(PlainText.of("Grüße, 你好 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿") == "Grüße, 你好 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿")
        #expect(PlainText.of("a\nb", keepsLines: true) == "a\nb")
        #expect(PlainText.of("a\nb") == "a\u{FFFD}b")
    }

    @Test("A stranger's line is no longer than people read")
    func length() {
        let line = PlainText.line(String(repeating: "x", count: 1_000_000))
        #expect(line.count == PlainText.maximumCharacters + 1 && line.hasSuffix("…"))
        #expect(PlainText.line("short") == "short")
    }

    @Test("JSON on a terminal is the same value on one line")
    func json() {
        #expect(PlainText.json("{\n\t\"a\": \"\u{9B}\u{202E}\"}") == #"{  "a": "\u009b\u202e"}"#)
    }
}
