import AudioFiles
import TestSupport
import Testing

@Suite("A WebM file")
struct WebMTests {
    private static func events(_ file: [UInt8], by step: Int = 4096) throws -> [OpusFileEvent] {
        try OggBuilder.events(in: file, by: step, reader: WebMOpusReader())
    }

    @Test("as a browser records it gives its packets, however its bytes arrive", arguments: [1, 13, 4096])
    func roundTrip(step: Int) throws {
        let packets = OggBuilder.packets(120)
        let events = try Self.events(WebMBuilder.file(packets), by: step)
        #expect(events.first == .head(OggBuilder.head))
        #expect(events.packets.map(\.bytes) == packets)
        #expect(events.heard == 120 * 960 - 312)
        #expect(events.damage.isEmpty && events.gaps.isEmpty)
    }

    @Test("with sizes that are known is read the same")
    func knownSizes() throws {
        let packets = OggBuilder.packets(10)
        let blocks = packets.enumerated().flatMap { WebMBuilder.simpleBlock($1, at: Int16($0 * 20)) }
        let file = WebMBuilder.beginning() + WebMBuilder.cluster(at: 0, blocks, isSizeKnown: true)
        #expect(try Self.events(file + WebMBuilder.element(0xEC, [0, 0, 0])).packets.map(\.bytes) == packets)
    }

    @Test("with several frames in a block gives them all", arguments: [1, 2, 3])
    func lacing(kind: UInt8) throws {
        let frames: [[UInt8]] =
            kind == 2 ? [[0xF8, 1], [0xF8, 2], [0xF8, 3]] : [[0xF8, 1, 1, 1], [0xF8], [0xF8, 3]]
        let sizes: [UInt8]
        switch kind {
        case 1: sizes = [2, 4, 1]
        case 2: sizes = [2]
        // The first size, then the difference of minus three: 63 - 3 in one byte.
        default: sizes = [2, 0x84, 0x80 | 60]
        }
        let block = WebMBuilder.simpleBlock(sizes + frames.flatMap(\.self), at: 0, flags: kind << 1)
        let file = WebMBuilder.beginning() + WebMBuilder.cluster(at: 0, block)
        #expect(try Self.events(file).packets.map(\.bytes) == frames)
    }

    @Test("ends where its discard padding says")
    func discardPadding() throws {
        let frame = [0x81, 0, 0, 0, 0xF8, 1, 2] as [UInt8]
        // Ten milliseconds, in nanoseconds.
        let group = WebMBuilder.element(0xA1, frame) + WebMBuilder.element(0x75A2, [0x00, 0x98, 0x96, 0x80])
        let file = WebMBuilder.beginning() + WebMBuilder.cluster(at: 0, WebMBuilder.element(0xA0, group))
        #expect(try Self.events(file).packets.map(\.heard) == [312..<480])
    }

    @Test("with a hole in its time says how much sound is missing")
    func gap() throws {
        let blocks = WebMBuilder.simpleBlock([0xF8, 1], at: 0) + WebMBuilder.simpleBlock([0xF8, 2], at: 1020)
        let events = try Self.events(WebMBuilder.beginning() + WebMBuilder.cluster(at: 0, blocks))
        #expect(events.gaps == [48_000])
        #expect(events.packets.count == 2)
    }

    @Test("with trembling time stamps has no gaps")
    func tremble() throws {
        let times: [Int16] = [0, 25, 31, 66, 75, 110, 119, 140]
        let blocks = times.flatMap { WebMBuilder.simpleBlock([0xF8, 1], at: $0) }
        #expect(try Self.events(WebMBuilder.beginning() + WebMBuilder.cluster(at: 0, blocks)).gaps.isEmpty)
    }

    @Test("with pictures in it gives the sound alone")
    func video() throws {
        let tracks = WebMBuilder.track(codec: "V_VP8", type: 1, number: 1, head: []) + WebMBuilder.track(number: 2)
        let blocks =
            WebMBuilder.simpleBlock(Array(repeating: 0, count: 3 << 20), at: 0, track: 1)
            + WebMBuilder.simpleBlock([0xF8, 7], at: 0, track: 2)
        let file = WebMBuilder.beginning(tracks: tracks) + WebMBuilder.cluster(at: 0, blocks)
        #expect(try Self.events(file).packets.map(\.bytes) == [[0xF8, 7]])
    }

    @Test("of another codec is refused by name")
    func otherCodec() {
        let file = WebMBuilder.beginning(tracks: WebMBuilder.track(codec: "A_VORBIS"))
        let error = #expect(throws: AudioFileError.self) { try Self.events(file) }
        #expect(error?.reason == .otherCodec("A_VORBIS"))
    }

    @Test("that is none is refused at its first byte", arguments: ["", "OggS and so on", "\u{1}\u{2}\u{3}"])
    func notWebM(text: String) {
        #expect(throws: AudioFileError.self) { try Self.events(Array(text.utf8)) }
    }

    @Test(
        "with a size nobody can have is refused", arguments: [WebMBuilder.tracks, WebMBuilder.info, 0xE7] as [UInt32])
    func tooLarge(id: UInt32) {
        var part = WebMBuilder.element(id, [])
        part[part.count - 6] = 0xFF
        let file = WebMBuilder.element(WebMBuilder.ebml, []) + part
        #expect(throws: AudioFileError.self) { try Self.events(file) }
    }

    @Test("cut at any byte gives the packets before the cut")
    func cut() throws {
        let packets = OggBuilder.packets(20)
        let file = WebMBuilder.file(packets)
        for end in file.indices {
            do {
                let events = try Self.events(Array(file[..<end]))
                #expect(packets.starts(with: events.packets.map(\.bytes)))
            } catch let error as AudioFileError {
                #expect(error.offset <= end && end <= WebMBuilder.beginning().count)
            }
        }
    }

    @Test("with any bytes changed is read or refused, and never stops the program")
    func fuzz() {
        var random = SeededRandom(seed: 8794)
        let file = WebMBuilder.file(OggBuilder.packets(20))
        for _ in 0..<4000 {
            var mutated = file
            for _ in 0...Int.random(in: 0..<12, using: &random) {
                let end = Bool.random(using: &random) ? mutated.count : 250
                mutated[Int.random(in: 0..<end, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            guard let events = try? Self.events(mutated, by: 700) else { continue }
            for packet in events.packets {
                #expect(packet.heard.lowerBound >= 0 && packet.heard.upperBound <= packet.duration)
            }
            #expect(events.gaps.allSatisfy { $0 <= 60 * 48_000 })
        }
    }
}
