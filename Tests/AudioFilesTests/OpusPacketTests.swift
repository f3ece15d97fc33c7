import AudioFiles
import TestSupport
import Testing

@Suite("An Opus packet")
struct OpusPacketTests {
    @Test(
        "lasts as long as table 2 of RFC 6716 says",
        arguments: [(0, 480), (3, 2880), (9, 960), (12, 480), (15, 960), (16, 120), (19, 960), (28, 120), (31, 960)]
    )
    func frameDuration(configuration: UInt8, samples: Int) {
        #expect(OpusPacket.frameDuration(of: configuration << 3) == samples)
    }

    @Test(
        "says how long it is by its first two bytes",
        arguments: [
            ([0x78], 960), ([0x79, 1, 1], 1920), ([0x7A, 1, 1], 1920), ([0x7B, 3, 0], 2880), ([0x7B, 0], nil),
            ([0x7B], nil), ([], nil), ([0x1B, 2, 0], 5760), ([0x1B, 3, 0], nil), ([0xE3, 48], 5760), ([0xE3, 49], nil),
        ] as [([UInt8], Int?)]
    )
    func duration(packet: [UInt8], samples: Int?) {
        #expect(OpusPacket.duration(of: packet.span) == samples)
    }

    @Test(
        "is cut into frames by all four codes",
        arguments: [
            ([0x78, 1, 2, 3], [1..<4]),
            ([0x79, 1, 2, 3, 4], [1..<3, 3..<5]),
            ([0x7A, 1, 9, 8, 7], [2..<3, 3..<5]),
            ([0x7B, 0x03, 1, 2, 3], [2..<3, 3..<4, 4..<5]),
            ([0x7B, 0x83, 1, 0, 5, 6, 7], [4..<5, 5..<5, 5..<7]),
            ([0x7B, 0x42, 2, 5, 6, 0, 0], [3..<4, 4..<5]),
        ] as [([UInt8], [Range<Int>])]
    )
    func frames(packet: [UInt8], expected: [Range<Int>]) throws {
        var frames: [Range<Int>] = []
        try OpusPacket.findFrames(of: packet.span, into: &frames)
        #expect(frames == expected)
    }

    @Test(
        "is refused when its lengths cannot be",
        arguments: [
            [], [0x79, 1], [0x7A], [0x7A, 2, 1], [0x7A, 252], [0x7B, 2, 1], [0x7B, 0x42, 9, 1], [0x7B, 0x42],
            [0x7B, 0x82], [0x7B, 0x82, 5, 1],
        ] as [[UInt8]]
    )
    func refused(packet: [UInt8]) {
        var frames: [Range<Int>] = []
        #expect(throws: AudioFileError.self) { try OpusPacket.findFrames(of: packet.span, into: &frames) }
    }

    @Test("joined with others keeps every frame, in code 3, whatever their sizes")
    func joined() throws {
        var random = SeededRandom(seed: 3)
        for round in 0..<300 {
            let bodies = (0..<3).map { _ in random.bytes(round % 5 == 0 ? 40 : Int.random(in: 0...600, using: &random))
            }
            var joiner = OpusPacketJoiner()
            for body in bodies { #expect(try joiner.add(([0x48] + body).span)) }
            #expect(joiner.duration == 2880)
            var packet: [UInt8] = []
            let keepsSize = round.isMultiple(of: 2)
            joiner.take(into: &packet, keepingSize: keepsSize)
            var frames: [Range<Int>] = []
            try OpusPacket.findFrames(of: packet.span, into: &frames)
            #expect(frames.map { Array(packet[$0]) } == bodies)
            #expect(packet[0] & 3 == 3 && joiner.isEmpty)
            if keepsSize, packet[1] & 0x40 != 0 { #expect(packet.count == bodies.reduce(3) { $0 + $1.count }) }
        }
    }

    @Test("does not join a packet of another mode, nor more than 120 ms")
    func notJoined() throws {
        var joiner = OpusPacketJoiner()
        #expect(try joiner.add([0x48, 1].span))
        #expect(try !joiner.add([0x78, 1].span))
        #expect(try !joiner.add([0x4C, 1].span))
        for _ in 0..<5 { #expect(try joiner.add([0x48, 1].span)) }
        #expect(try !joiner.add([0x48, 1].span))
    }

    @Test(
        "padding of any length fills a packet to the byte", arguments: [1, 2, 254, 255, 256, 257, 509, 510, 511, 1000])
    func padding(count: Int) throws {
        // Incoming packets of code 3 with padding of their own lose it, and get it back at the end.
        var lengths: [UInt8] = []
        var rest = count
        while rest > 255 {
            lengths.append(255)
            rest -= 255
        }
        lengths.append(UInt8(rest - 1))
        let padded: [UInt8] = [0x4B, 0x41] + lengths + [7, 8, 9] + Array(repeating: 0, count: count - lengths.count)
        var joiner = OpusPacketJoiner()
        #expect(try joiner.add(padded.span))
        var packet: [UInt8] = []
        joiner.take(into: &packet, keepingSize: true)
        #expect(packet == padded)
    }

    @Test("of random bytes never stops the program, and its frames lie inside of it")
    func fuzz() {
        var random = SeededRandom(seed: 6716)
        var frames: [Range<Int>] = []
        for _ in 0..<20_000 {
            let packet = random.bytes(Int.random(in: 0...40, using: &random))
            guard (try? OpusPacket.findFrames(of: packet.span, into: &frames)) != nil else { continue }
            #expect(frames.allSatisfy { $0.lowerBound >= 1 && $0.upperBound <= packet.count })
        }
    }
}
