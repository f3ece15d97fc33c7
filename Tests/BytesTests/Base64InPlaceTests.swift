import Bytes
import TestSupport
import Testing

@Suite("Base64 in place")
struct Base64InPlaceTests {
    private func decodedInPlace(_ text: [UInt8], behind front: [UInt8]) throws(ByteError) -> [UInt8] {
        var bytes = front + text + front
        let range = try Base64.decode(in: &bytes, at: front.count..<front.count + text.count)
        #expect(range.lowerBound == front.count && Array(bytes.suffix(front.count)) == front)
        return Array(bytes[range])
    }

    @Test("appends and decodes what the other way does, for every length")
    func agrees() throws {
        var random = SeededRandom(seed: 64)
        for length in 0..<200 {
            let data = random.bytes(length)
            var text = Array("ab".utf8)
            Base64.append(data.span, to: &text)
            #expect(Array(text.dropFirst(2)) == Array(Base64.encode(data).utf8))
            #expect(try self.decodedInPlace(Array(text.dropFirst(2)), behind: [1, 2, 3]) == data)
        }
    }

    @Test(
        "is as strict as the other way",
        arguments: ["A", "AA", "AAA", "AA=A", "AB==", "AAB=", "====", "A===", "AA A", "AA-_"])
    func refuses(_ text: String) {
        #expect(throws: ByteError.self) { try Base64.decode(text) }
        #expect(throws: ByteError.self) { try self.decodedInPlace(Array(text.utf8), behind: []) }
    }

    @Test("refuses what the other way refuses, whatever that is")
    func fuzz() {
        var random = SeededRandom(seed: 65)
        let letters = Array("ABab01+/=-".utf8)
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<13, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0
            }
            let expected = try? Base64.decode(text)
            let decoded = try? self.decodedInPlace(text, behind: [])
            #expect(decoded == expected)
        }
    }
}
