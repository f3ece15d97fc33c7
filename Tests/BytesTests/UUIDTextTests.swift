import Bytes
import TestSupport
import Testing

@Suite("A UUID")
struct UUIDTextTests {
    @Test("has its version and its variant where they belong, and the other bits as they came")
    func bits() {
        #expect(UUIDText.write([UInt8](repeating: 0, count: 16)) == "00000000-0000-4000-8000-000000000000")
        #expect(UUIDText.write([UInt8](repeating: 0xFF, count: 16)) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(UUIDText.write([UInt8](0..<16)) == "00010203-0405-4607-8809-0a0b0c0d0e0f")
    }

    @Test("is made of what a generator gives, so two are not alike")
    func made() {
        var random = SeededRandom(seed: 7)
        let first = UUIDText.make(using: &random)
        #expect(first.utf8.count == 36 && first != UUIDText.make(using: &random))
    }
}
