import ICE
import TestSupport
import Testing

@Suite("Packets in a stream")
struct PacketFramesTests {
    private static func framed(_ packets: [[UInt8]]) -> [UInt8] {
        packets.flatMap { [UInt8(truncatingIfNeeded: $0.count >> 8), UInt8(truncatingIfNeeded: $0.count)] + $0 }
    }

    private static func found(_ stream: [UInt8], cutAfter length: Int) -> [[UInt8]] {
        var frames = PacketFrames()
        var found: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: length) {
            frames.take(Array(stream[start..<min(start + length, stream.count)]).span) { packet in
                found.append(packet.withUnsafeBufferPointer(Array.init))
                return true
            }
        }
        return found
    }

    @Test("are found however it is cut; empty ones say nothing, and too long ones are passed over", arguments: 0..<8)
    func cuts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let packets = (0..<15).map { _ -> [UInt8] in
            let count = [0, 1, Int.random(in: 2...300, using: &random), 2048, 2049, 5000].randomElement(using: &random)
            return random.bytes(count ?? 0)
        }
        let expected = packets.filter { (1...2048).contains($0.count) }
        for length in [1, 2, 3, 700, 100_000] {
            #expect(Self.found(Self.framed(packets), cutAfter: length) == expected)
        }
    }

    @Test("are begun with their length")
    func head() {
        #expect(PacketFrames.head(of: 0x0102) == [1, 2])
        #expect(PacketFrames.head(of: PacketFrames.maximumBytes + 1) == nil)
    }

    @Test("are not taken by who has had enough")
    func enough() {
        var frames = PacketFrames()
        var count = 0
        frames.take(Self.framed([[1], [2], [3]]).span) { _ in
            count += 1
            return count < 2
        }
        #expect(count == 2)
    }
}
