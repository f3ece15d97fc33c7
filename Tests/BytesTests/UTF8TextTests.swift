import Bytes
import TestSupport
import Testing

@Suite("A text out of bytes")
struct UTF8TextTests {
    @Test(
        "is there when they are UTF-8",
        arguments: ["", "plain", "a text of more letters than fit into one word", "é", "🎈 and 中文"])
    func valid(text: String) {
        #expect(String(utf8: Array(text.utf8).span) == text)
    }

    @Test(
        "is not there when they are none, wherever",
        arguments: [[0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]]
            as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        for length in [0, 1, 7, 8, 15, 16, 40] {
            let letters = [UInt8](repeating: UInt8(ascii: "x"), count: length)
            #expect(String(utf8: (letters + bytes).span) == nil)
            #expect(String(utf8: (letters + bytes + letters).span) == nil)
        }
    }

    @Test("is what the standard library makes of them, whatever they are")
    func same() {
        var random = SeededRandom(seed: 8)
        for length in 0..<300 {
            let bytes = random.bytes(length % 9).map { $0 | (length % 2 == 0 ? 0x80 : 0) }
            #expect(String(utf8: bytes.span) == String(validating: bytes, as: UTF8.self))
        }
    }
}
