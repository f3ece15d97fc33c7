import AudioFiles
import AudioStreams
import MediaStreams
import OpusCodec
import RTP
import TestSupport
import Testing
import Vocabulary

@Suite("A sender of sound")
struct AudioSenderTests {
    private static let tone = TestSound.sine(400, seconds: 2, rate: 48_000)

    /// Speaks in pieces of a length, and says what left when.
    private static func speak(
        _ sound: [Float], pieces: Int = 480, into sender: inout AudioSender, from start: Int = 0
    ) throws -> [SeenPacket] {
        var outbox = MediaOutbox()
        let channels = sender.settings.channels
        for first in stride(from: 0, to: sound.count, by: pieces * channels) {
            let now = Instant(nanoseconds: Int64(start + first / channels) * 1_000_000 / 48)
            let piece = sound.span.extracting(first..<min(first + pieces * channels, sound.count))
            sender.speak(piece, at: now, into: &outbox)
        }
        return try outbox.takeAll()
    }

    @Test("makes the same packets of sound in pieces of any size", arguments: [1, 100, 480, 960, 7000, 96_000])
    func pieces(size: Int) throws {
        var sender = AudioSender(.usual())
        let packets = try Self.speak(Self.tone, pieces: size, into: &sender)
        #expect(packets.count == 100)
        #expect(packets.map(\.header.timestamp) == (0..<100).map { 1000 + 960 * UInt32($0) })
        #expect(packets.map(\.header.sequenceNumber) == (0..<100).map { 65_534 &+ UInt16($0) })
        #expect(packets.map(\.header.isMarked) == [true] + [Bool](repeating: false, count: 99))
        #expect(packets.allSatisfy { $0.header.ssrc == 7 && $0.mid == "0" })
        // The first has nothing to copy yet, and after a second nothing was reported lost.
        #expect(packets.map { $0.header.payloadType == 63 } == (0..<100).map { (1..<50).contains($0) })
        #expect(sender.statistics.packetsSent == 100)
        #expect(sender.statistics.bytesSent == UInt64(packets.reduce(0) { $0 + $1.payload.count }))
    }

    @Test(
        "fills packets with as much sound as it is told",
        arguments: [(10, 480), (15, 480), (20, 960), (30, 960), (40, 1920), (50, 1920), (60, 2880), (120, 2880)])
    func ptime(milliseconds: Int, samples: Int) throws {
        var sender = AudioSender(.usual { $0.ptime = milliseconds })
        let packets = try Self.speak(Self.tone, into: &sender)
        #expect(packets.count == 96_000 / samples)
        #expect(packets.allSatisfy { OpusPacket.duration(of: $0.opus.span) == samples })
        #expect(packets.count { $0.header.payloadType == 63 } == 48_000 / samples - 1)
    }

    @Test("keeps left and right apart")
    func stereo() throws {
        var sender = AudioSender(
            .usual {
                $0.isStereo = true
                $0.initialBitRate = 96_000
                $0.maximumBitRate = 96_000
            })
        let other = TestSound.sine(900, seconds: 2, rate: 48_000)
        let packets = try Self.speak(zip(Self.tone, other).flatMap { [$0, $1] }, into: &sender)
        #expect(packets.count == 100)
        #expect(packets.suffix(50).allSatisfy { $0.payload[0] & 4 != 0 })
    }

    @Test("says how loud it is")
    func level() throws {
        var sender = AudioSender(.usual())
        let packets = try Self.speak(Self.tone + [Float](repeating: 0, count: 9600), into: &sender)
        // A sine of a quarter of full scale has 15 dB less than a square wave of full scale.
        #expect(packets[50].level == RTPAudioLevel(isVoice: true, attenuation: 15))
        #expect(packets.last?.level == RTPAudioLevel(isVoice: false, attenuation: 127))
    }

    @Test("goes on after a pause where the clock is, and says so")
    func pause() throws {
        var sender = AudioSender(.usual())
        let before = try Self.speak(Self.tone, into: &sender)
        let after = try Self.speak(Self.tone, into: &sender, from: 5 * 48_000)
        let last = try #require(before.last)
        let next = try #require(after.first)
        #expect(next.header.isMarked)
        #expect(after.filter(\.header.isMarked).count == 1)
        #expect(next.header.sequenceNumber == last.header.sequenceNumber &+ 1)
        let gap = Int(next.header.timestamp) - 1000
        #expect(abs(gap - 5 * 48_000) <= 480)
    }

    @Test("does not take a slow clock for a pause")
    func slowClock() throws {
        var sender = AudioSender(.usual())
        var outbox = MediaOutbox()
        let packet: [UInt8] = [0xF8, 0]
        for index in 0..<20_000 {
            let now = Instant(nanoseconds: Int64(Double(index) * 20e6 * 1.001))
            sender.forward(packet.span, duration: 960, at: now, into: &outbox)
        }
        let packets = try outbox.takeAll()
        #expect(packets.filter(\.header.isMarked).count == 1)
        #expect(packets.last.map { Int($0.header.timestamp) } == 1000 + 960 * 19_999)
    }

    @Test("sends next to nothing while nobody speaks, when it may")
    func dtx() throws {
        var sender = AudioSender(.usual { $0.usesDTX = true })
        let silence = [Float](repeating: 0, count: 96_000)
        let packets = try Self.speak(Self.tone + silence + Self.tone, into: &sender)
        let quiet = packets.filter { (97_000 + 24_000..<1000 + 192_000).contains($0.header.timestamp) }
        #expect(quiet.count <= 10)
        let again = try #require(packets.first { $0.header.timestamp >= 1000 + 192_000 })
        #expect(again.header.isMarked)
        #expect(packets.filter { $0.header.timestamp >= 1000 + 192_000 }.count == 100)
    }

    @Test("says the name of its section until somebody has answered")
    func name() throws {
        var sender = AudioSender(.usual())
        let before = try Self.speak(Self.tone, into: &sender)
        #expect(before.allSatisfy { $0.mid == "0" })
        let report = RemoteReport(ssrc: 7, fractionLost: 0, packetsLost: 0, jitter: 0, roundTrip: nil)
        sender.received(report: report, at: Instant(milliseconds: 2000))
        let after = try Self.speak(Self.tone, into: &sender, from: 96_000)
        #expect(after.allSatisfy { $0.mid == nil })
    }

    private static func feedback(lost: Int, together: Int = 0) -> TransportEstimate {
        TransportEstimate(
            received: 50 - lost, lost: lost, lostTogether: together, bitRate: 300_000, isCongested: false)
    }

    private static func offsets(_ sender: inout AudioSender, from start: Int) throws -> [Int] {
        try Self.speak(Self.tone, into: &sender, from: start).last?.blocks.map { $0.offset / 960 } ?? []
    }

    @Test("keeps copies further apart while packets get lost together")
    func apart() throws {
        var sender = AudioSender(.usual())
        for index in 0..<10 {
            sender.received(
                feedback: Self.feedback(lost: 10, together: 2), at: Instant(milliseconds: Int64(index * 10)))
        }
        #expect(try Self.offsets(&sender, from: 0) == [2, 1, 0])
        for index in 10..<20 {
            sender.received(
                feedback: Self.feedback(lost: 10, together: 6), at: Instant(milliseconds: Int64(index * 10)))
        }
        #expect(try Self.offsets(&sender, from: 96_000) == [5, 2, 0])
        for index in 20..<40 {
            sender.received(
                feedback: Self.feedback(lost: 10, together: 1), at: Instant(milliseconds: Int64(index * 10)))
        }
        #expect(try Self.offsets(&sender, from: 192_000) == [2, 1, 0])
    }

    @Test("sends copies of as many packets as the loss asks for", arguments: [(0.0, 0), (0.02, 1), (0.2, 2)])
    func copies(loss: Double, generations: Int) throws {
        var sender = AudioSender(.usual())
        for second in 0..<10 {
            let lost = Int(50 * loss)
            sender.received(feedback: Self.feedback(lost: lost), at: Instant(milliseconds: Int64(second * 100)))
        }
        let packets = try Self.speak(Self.tone, into: &sender)
        #expect(sender.statistics.redundancy == generations)
        for index in 50..<packets.count {
            let packet = packets[index]
            guard generations > 0 else {
                #expect(packet.header.payloadType == 111)
                continue
            }
            #expect(packet.header.payloadType == 63)
            let blocks = packet.blocks
            #expect(blocks.map(\.offset) == (0...generations).reversed().map { 960 * $0 })
            for (back, block) in blocks.reversed().enumerated() where index - back >= generations {
                #expect(block.bytes == packets[index - back].blocks.last?.bytes)
            }
        }
        #expect(sender.statistics.isFECActive == false)
    }

    @Test("puts coarse copies into Opus only while packets get lost, for those who know no others")
    func fec() throws {
        var sender = AudioSender(
            .usual {
                $0.payloadTypes.red = nil
                $0.initialBitRate = 32_000
                $0.maximumBitRate = 32_000
            })
        let voice = TestSound.babble(seconds: 2, rate: 48_000)
        let before = try Self.speak(voice, into: &sender)
        #expect(before.allSatisfy { !OpusPacket.hasRedundancy($0.payload.span) })
        for index in 0..<10 {
            let report = RemoteReport(ssrc: 7, fractionLost: 0.2, packetsLost: 9, jitter: 0, roundTrip: nil)
            _ = try Self.speak(voice, into: &sender, from: 96_000 * (index + 1))
            sender.received(report: report, at: Instant(milliseconds: Int64(index) * 2000 + 4000))
        }
        #expect(sender.statistics.isFECActive)
        let after = try Self.speak(voice, into: &sender, from: 96_000 * 11)
        #expect(after.filter { OpusPacket.hasRedundancy($0.payload.span) }.count > 20)
    }

    @Test("goes on under its numbers when something else was agreed on")
    func change() throws {
        var sender = AudioSender(.usual())
        let before = try Self.speak(Self.tone + [Float](repeating: 0.1, count: 480), into: &sender)
        sender.change(
            .usual {
                $0.payloadTypes.opus = 96
                $0.ptime = 40
                $0.isStereo = true
            })
        let after = try Self.speak(Self.tone.flatMap { [$0, $0] }, into: &sender, from: 96_480)
        #expect(before.count == 100)
        #expect(after.count == 50)
        #expect(after.allSatisfy { $0.header.payloadType == 96 && OpusPacket.duration(of: $0.payload.span) == 1920 })
        #expect(after.first?.header.sequenceNumber == before.last.map { $0.header.sequenceNumber &+ 1 })
        let step = zip(before.suffix(1), after.prefix(1)).map { Int($1.header.timestamp) - Int($0.header.timestamp) }
        #expect(step == [960])
    }

    @Test("takes the same packets that it is given to forward, with their gaps")
    func forward() throws {
        var sender = AudioSender(.usual())
        var outbox = MediaOutbox()
        let packet: [UInt8] = [0xF8, 1, 2, 3]
        sender.forward(packet.span, duration: 960, at: Instant(milliseconds: 0), into: &outbox)
        sender.forward(packet.span, duration: 960, gap: 1920, at: Instant(milliseconds: 60), into: &outbox)
        let packets = try outbox.takeAll()
        #expect(packets.map(\.opus) == [packet, packet])
        #expect(packets.map(\.header.timestamp) == [1000, 1000 + 960 + 1920])
        #expect(packets.map(\.header.isMarked) == [true, true])
        #expect(packets.allSatisfy { $0.level == nil })
    }
}
