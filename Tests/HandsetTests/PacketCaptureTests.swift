import Handset
import Testing
import Vocabulary

@Suite("A packet capture")
struct PacketCaptureTests {
    private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The kinds of the blocks and what is in them.
    private static func blocks(_ bytes: [UInt8]) -> [(kind: Int, body: [UInt8])] {
        var blocks: [(Int, [UInt8])] = []
        var offset = 0
        while offset < bytes.count {
            let length = Self.word(bytes, offset + 4)
            #expect(length.isMultiple(of: 4) && Self.word(bytes, offset + length - 4) == length)
            blocks.append((Self.word(bytes, offset), Array(bytes[(offset + 8)..<(offset + length - 4)])))
            offset += length
        }
        return blocks
    }

    @Test("J14 has a head, an interface and a block for each packet", arguments: 0..<9)
    func blocks(count: Int) {
        var capture = PacketCapture()
        let (here, there) = (SocketAddress(.v4(0xC000_0201), port: 1000), SocketAddress(.v4(0xC000_0202), port: 2000))
        let payload = (0..<count).map { UInt8($0) }
        capture.add(payload.span, from: here, to: there, time: 1_700_000_000_123_456_789)
        let blocks = Self.blocks(capture.takeOutput())
        #expect(blocks.map(\.kind) == [0x0A0D_0D0A, 1, 6])
        let body = blocks[2].body
        #expect(Self.word(body, 4) << 32 | Self.word(body, 8) == 1_700_000_000_123_456_789)
        #expect(Self.word(body, 12) == 28 + count && Self.word(body, 16) == 28 + count)
        #expect(Array(body[(20 + 28)..<(20 + 28 + count)]) == payload)
        // A header with its checksum comes to nothing (RFC 1071).
        var sum = stride(from: 20, to: 40, by: 2).reduce(0) { $0 + Int(body[$1]) << 8 + Int(body[$1 + 1]) }
        while sum >> 16 != 0 { sum = sum & 0xFFFF + sum >> 16 }
        #expect(sum == 0xFFFF)
        #expect(capture.takeOutput().isEmpty)
    }

    @Test("J14 keeps a comment beside each packet, whatever its length", arguments: 0..<5)
    func comments(count: Int) {
        var capture = PacketCapture()
        _ = capture.takeOutput()
        let address = SocketAddress(.v4(0xC000_0201), port: 1000)
        let payload = [UInt8](repeating: 7, count: count)
        capture.add(payload.span, from: address, to: address, time: 0, comment: "call \(count)é")
        let body = Self.blocks(capture.takeOutput())[0].body
        #expect(Self.word(body, 12) == 28 + count)
        // opt_comment with its length, then the end of options.
        let option = body[(20 + (28 + count + 3) / 4 * 4)...]
        #expect(Array(option) == [0, 1, 0, 8] + Array("call \(count)é".utf8) + [0, 0, 0, 0])
    }

    @Test("J14 gives packets of IPv6 the checksum they cannot do without")
    func wide() {
        var capture = PacketCapture()
        _ = capture.takeOutput()
        let here = SocketAddress(.v6(0xFD00_0000_0000_0000, 1), port: 1000)
        let there = SocketAddress(.v4(0xC000_0202), port: 2000)
        capture.add([1, 2, 3].span, from: here, to: there, time: 0)
        let packet = Array(Self.blocks(capture.takeOutput())[0].body.dropFirst(20).prefix(51))
        #expect(packet[0] == 0x60 && packet[6] == 17)
        var words = stride(from: 8, to: 40, by: 2).map { Int(packet[$0]) << 8 + Int(packet[$0 + 1]) } + [11, 17]
        words += stride(from: 40, to: 50, by: 2).map { Int(packet[$0]) << 8 + Int(packet[$0 + 1]) }
        words.append(Int(packet[50]) << 8)
        var sum = words.reduce(0, +)
        while sum >> 16 != 0 { sum = sum & 0xFFFF + sum >> 16 }
        #expect(sum == 0xFFFF)
    }
}
