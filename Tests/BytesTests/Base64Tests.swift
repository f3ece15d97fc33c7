import Bytes
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "writes and reads the vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(plain: String, encoded: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(try Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("comes back unchanged, whatever the bytes", arguments: Base64.Alphabet.allCases)
    func roundTrip(alphabet: Base64.Alphabet) throws {
        var random = SeededRandom(seed: 64)
        for length in 0..<200 {
            let bytes = random.bytes(length)
            #expect(try Base64.decode(Base64.encode(bytes, as: alphabet), as: alphabet) == bytes)
        }
    }

    @Test(
        "refuses a second spelling",
        arguments: ["Zg", "Zg=", "Zh==", "Zm9=", "Z", "====", "Zg==Zg==", "Zm 9v", "Zm9v\n"]
    )
    func strict(text: String) {
        #expect(throws: ByteError.self) { try Base64.decode(text) }
    }

    @Test("says which byte is no digit, wherever it stands", arguments: Base64.Alphabet.allCases)
    func places(alphabet: Base64.Alphabet) throws {
        let text = Array(Base64.encode(Array(0..<24), as: alphabet).utf8)
        for place in text.indices {
            var wrong = text
            wrong[place] = UInt8(ascii: "!")
            #expect(throws: ByteError(.unexpected(UInt8(ascii: "!")), at: place)) {
                try Base64.decode(wrong, as: alphabet)
            }
        }
    }
}
