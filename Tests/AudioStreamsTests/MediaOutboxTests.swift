import AudioStreams
import Bytes
import TestSupport
import Testing
import Vocabulary

@Suite("An outbox of media")
struct MediaOutboxTests {
    private static func filled() -> MediaOutbox {
        var outbox = MediaOutbox()
        var sender = AudioSender(.usual())
        let packet: [UInt8] = [0xF8, 1, 2, 3]
        for index in 0..<3 {
            let now = Instant(milliseconds: Int64(20 * index))
            sender.forward(packet.span, duration: 960, at: now, into: &outbox)
        }
        return outbox
    }

    @Test("lends each packet with room for what keeps it secret")
    func room() {
        var outbox = Self.filled()
        var sizes: [Int] = []
        outbox.forEach { packet, bytes, count in
            #expect(count == packet.range.count)
            #expect(bytes.count == count + MediaOutbox.trailerRoom)
            for index in 0..<bytes.count { bytes[index] = 0xEE }
            sizes.append(count)
        }
        #expect(sizes.count == 3)
        let packets = outbox.packets
        for packet in packets { #expect(outbox.withBytes(of: packet) { $0[0] } == 0xEE) }
        #expect(
            packets.indices.dropLast().allSatisfy { index in
                packets[index].range.upperBound + MediaOutbox.trailerRoom <= packets[index + 1].range.lowerBound
            })
    }

    @Test("stops where it is told to")
    func failure() {
        struct Enough: Error {}
        var outbox = Self.filled()
        var seen = 0
        #expect(throws: Enough.self) {
            try outbox.forEach { _, _, _ throws(Enough) in
                seen += 1
                if seen == 2 { throw Enough() }
            }
        }
        #expect(seen == 2)
    }

    @Test("counts all packets of its transport, also after it was emptied")
    func counting() {
        var outbox = Self.filled()
        #expect(outbox.packets.map(\.transportSequence) == [0, 1, 2])
        outbox.removeAll()
        #expect(outbox.isEmpty)
        var other = AudioSender(.usual { $0.ssrc = 8 })
        let packet: [UInt8] = [0xF8]
        other.forward(packet.span, duration: 960, at: Instant(nanoseconds: 0), into: &outbox)
        #expect(outbox.packets.map(\.transportSequence) == [3])
    }
}
