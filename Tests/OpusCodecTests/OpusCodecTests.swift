import AudioFiles
import COpus
import OpusCodec
import TestSupport
import Testing

@Suite("The Opus codec")
struct OpusCodecTests {
    /// All packets of a sound, in frames of 20 ms.
    private static func encode(
        _ sound: [Float], rate: Int, channels: Int = 1, settings: OpusEncoder.Settings = .init()
    ) throws -> [[UInt8]] {
        let encoder = try OpusEncoder(rate: rate, channels: channels, settings: settings)
        let size = rate / 50 * channels
        var packet: [UInt8] = []
        return try stride(from: 0, to: sound.count - size + 1, by: size).map { start in
            try encoder.encode(sound.span.extracting(start..<(start + size)), into: &packet)
            return packet
        }
    }

    private static func decode(_ packets: [[UInt8]?], rate: Int, channels: Int = 1) throws -> [Float] {
        let decoder = try OpusDecoder(rate: rate, channels: channels)
        var room = [Float](repeating: 0, count: 5760 * channels)
        var sound: [Float] = []
        for packet in packets {
            var span = room.mutableSpan
            let count: Int
            if let packet {
                count = try decoder.decode(packet.span, into: &span)
            } else {
                count = try decoder.conceal(rate / 50, into: &span)
            }
            sound += room[..<(count * channels)]
        }
        return sound
    }

    @Test("gives back the tone it was given, at every rate it knows", arguments: OpusEncoder.rates, OpusEncoder.rates)
    func tone(rate: Int, decoderRate: Int) throws {
        let packets = try Self.encode(TestSound.sine(600, seconds: 0.6, rate: rate), rate: rate)
        let sound = try Self.decode(packets, rate: decoderRate)
        #expect(sound.count == packets.count * decoderRate / 50)
        let middle = sound[(sound.count / 3)...]
        #expect(abs(TestSound.level(of: 600, in: middle, rate: decoderRate) - 0.25) < 0.05)
        #expect(TestSound.level(of: 1700, in: middle, rate: decoderRate) < 0.02)
    }

    @Test("keeps left and right apart")
    func stereo() throws {
        let left = TestSound.sine(500, seconds: 0.6, rate: 48_000)
        let right = TestSound.sine(900, seconds: 0.6, rate: 48_000)
        var settings = OpusEncoder.Settings()
        settings.bitRate = 96_000
        settings.application = .audio
        let packets = try Self.encode(
            zip(left, right).flatMap { [$0, $1] }, rate: 48_000, channels: 2, settings: settings)
        let sound = try Self.decode(packets, rate: 48_000, channels: 2).suffix(48_000)
        let heardLeft = sound.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        #expect(TestSound.level(of: 500, in: heardLeft, rate: 48_000) > 0.2)
        #expect(TestSound.level(of: 900, in: heardLeft, rate: 48_000) < 0.05)
    }

    @Test("is as late as it says", arguments: OpusEncoder.Application.allCases)
    func delay(application: OpusEncoder.Application) throws {
        var settings = OpusEncoder.Settings()
        settings.application = application
        let encoder = try OpusEncoder(rate: 48_000, channels: 1, settings: settings)
        #expect(encoder.delay == (application == .lowDelay ? 120 : 312))
    }

    @Test("holds to a constant bit rate to the byte, and to a variable one on the whole")
    func rates() throws {
        let sound = TestSound.babble(seconds: 3, rate: 16_000)
        var settings = OpusEncoder.Settings()
        settings.rateControl = .constant
        let constant = try Self.encode(sound, rate: 16_000, settings: settings)
        #expect(Set(constant.map(\.count)) == [60])
        settings.rateControl = .variable
        let variable = try Self.encode(sound, rate: 16_000, settings: settings)
        #expect(Set(variable.map(\.count)).count > 5)
    }

    @Test("sends next to nothing in silence when it may")
    func dtx() throws {
        var settings = OpusEncoder.Settings()
        settings.usesDTX = true
        let packets = try Self.encode([Float](repeating: 0, count: 16_000 * 2), rate: 16_000, settings: settings)
        #expect(packets.suffix(50).filter { $0.count <= 2 }.count > 40)
    }

    @Test("makes up sound where a packet is missing")
    func conceal() throws {
        var packets: [[UInt8]?] = try Self.encode(TestSound.sine(300, seconds: 0.6, rate: 48_000), rate: 48_000)
        packets[20] = nil
        let sound = try Self.decode(packets, rate: 48_000)
        #expect(TestSound.level(of: 300, in: sound[(20 * 960)..<(21 * 960)], rate: 48_000) > 0.1)
    }

    @Test("takes a missing packet from the copy in the next one")
    func recover() throws {
        var settings = OpusEncoder.Settings()
        settings.usesInbandFEC = true
        settings.expectedLoss = 30
        settings.isSpeech = true
        let rate = 16_000
        let packets = try Self.encode(TestSound.babble(seconds: 2, rate: rate), rate: rate, settings: settings)
        let whole = try Self.decode(packets, rate: rate)
        let decoder = try OpusDecoder(rate: rate, channels: 1)
        var room = [Float](repeating: 0, count: 5760)
        var (tried, better) = (0, 0)
        for (index, packet) in packets.enumerated() where index > 0 {
            var span = room.mutableSpan
            if index.isMultiple(of: 10) {
                #expect(try decoder.recover(320, from: packet.span, into: &span) == 320)
                let lost = whole[((index - 1) * 320)..<(index * 320)]
                let difference = zip(room, lost).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
                let energy = lost.reduce(0) { $0 + $1 * $1 }
                // Where nobody speaks there is no copy.
                if energy > 0.5 { (tried, better) = (tried + 1, better + (difference < energy ? 1 : 0)) }
            }
            guard !(index + 1).isMultiple(of: 10) else { continue }
            span = room.mutableSpan
            _ = try decoder.decode(packet.span, into: &span)
        }
        #expect(tried > 2 && better * 2 > tried)
    }

    @Test("makes everything louder by the gain it is told")
    func gain() throws {
        let packets = try Self.encode(TestSound.sine(400, seconds: 0.4, rate: 48_000), rate: 48_000)
        let decoder = try OpusDecoder(rate: 48_000, channels: 1)
        try decoder.setGain(-1536)
        var room = [Float](repeating: 0, count: 5760)
        var sound: [Float] = []
        for packet in packets {
            var span = room.mutableSpan
            sound += room[..<(try decoder.decode(packet.span, into: &span))]
        }
        // -6 dB is half.
        #expect(abs(TestSound.level(of: 400, in: sound[9600...], rate: 48_000) - 0.125) < 0.02)
    }

    @Test("refuses what Opus does not have")
    func refusals() throws {
        #expect(throws: OpusError.badArgument) { try OpusEncoder(rate: 44_100, channels: 1) }
        #expect(throws: OpusError.badArgument) { try OpusDecoder(rate: 48_000, channels: 3) }
        let encoder = try OpusEncoder(rate: 48_000, channels: 1)
        var packet: [UInt8] = []
        #expect(throws: OpusError.badArgument) { try encoder.encode([0, 0, 0].span, into: &packet) }
        #expect(throws: OpusError.invalidPacket) { try Self.decode([[0x7B, 0]], rate: 48_000) }
        var tooSmall = [Float](repeating: 0, count: 100)
        let decoder = try OpusDecoder(rate: 48_000, channels: 1)
        #expect(throws: OpusError.self) {
            var span = tooSmall.mutableSpan
            _ = try decoder.conceal(960, into: &span)
        }
    }

    @Test("decodes any bytes or refuses them, and never stops the program")
    func fuzz() throws {
        var random = SeededRandom(seed: 6716)
        let decoder = try OpusDecoder(rate: 16_000, channels: 1)
        var room = [Float](repeating: 0, count: 5760)
        for _ in 0..<2000 {
            let packet = random.bytes(Int.random(in: 1...80, using: &random))
            var span = room.mutableSpan
            guard let count = try? decoder.decode(packet.span, into: &span) else { continue }
            #expect((1...5760).contains(count))
        }
    }
}

@Suite("Our reading of packets")
struct OpusPacketRefereeTests {
    /// What libopus makes of a packet: its frames' sizes, or nil.
    private static func referee(_ packet: [UInt8]) -> [Int]? {
        var toc: UInt8 = 0
        var offset: Int32 = 0
        var frames = [UnsafePointer<UInt8>?](repeating: nil, count: 48)
        var sizes = [Int16](repeating: 0, count: 48)
        let count = opus_packet_parse(packet, Int32(packet.count), &toc, &frames, &sizes, &offset)
        return count > 0 ? sizes[..<Int(count)].map(Int.init) : nil
    }

    @Test("is that of libopus, for random packets and for joined ones")
    func same() {
        var random = SeededRandom(seed: 3)
        var frames: [Range<Int>] = []
        var accepted = 0
        for round in 0..<20_000 {
            var packet = random.bytes(Int.random(in: 1...60, using: &random))
            if round.isMultiple(of: 2) { packet[0] |= 3 }
            let ours: [Int]?
            do {
                try OpusPacket.findFrames(of: packet.span, into: &frames)
                ours = frames.map(\.count)
            } catch {
                ours = nil
            }
            #expect(ours == Self.referee(packet))
            accepted += ours == nil ? 0 : 1
            if ours != nil {
                let samples = opus_packet_get_nb_samples(packet, Int32(packet.count), 48_000)
                #expect(OpusPacket.duration(of: packet.span) == Int(samples))
            }
        }
        #expect(accepted > 4000)
    }
}
