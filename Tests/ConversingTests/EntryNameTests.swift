import Conversing
import TestSupport
import Testing

@Suite("The name of a message")
struct EntryNameTests {
    @Test("has the digits of base 36, of both its numbers")
    func digits() {
        var random = SeededRandom(seed: 36)
        let numbers: [UInt64] = [0, 1, 9, 10, 35, 36, 1295, 1296, ConversationKey.maximumEntry]
        for entry in numbers + (0..<500).map({ _ in random.next() >> 32 }) {
            let conversation = Int64(random.next() >> 33)
            #expect(
                ConversationKey(conversation).name(of: entry)
                    == "\(String(conversation, radix: 36)).\(String(entry, radix: 36))")
        }
    }
}
