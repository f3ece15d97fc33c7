import Bytes
import MediaStreams
import Testing

@Suite("An outbox of media")
struct MediaOutboxTests {
    private static func filled() -> MediaOutbox {
        var outbox = MediaOutbox()
        for index in 0..<3 { outbox.append(.rtp, isCounted: true) { writer, _ in writer.write(UInt32(index)) } }
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
        outbox.append(.rtcp) { writer, _ in writer.write(UInt32(9)) }
        outbox.append(.rtp, isCounted: true) { writer, _ in writer.write(UInt32(9)) }
        #expect(outbox.packets.map(\.transportSequence) == [nil, 3])
    }
}
