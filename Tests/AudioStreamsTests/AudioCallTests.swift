import AudioStreams
import MediaStreams
import OpusCodec
import RTP
import TestSupport
import Testing
import VirtualCalls
import Vocabulary

@Suite("A call of two, in virtual time")
struct AudioCallTests {
    private static let tone = TestSound.sine(400, seconds: 0.25, rate: 48_000)

    @Test("brings a tone from one to the other")
    func tone() {
        var call = VirtualCall(line: VirtualLine.even(50))
        call.first.voice = .sound(Self.tone)
        call.second.isListening = true
        call.run(seconds: 5)
        let heard = call.second.heard.suffix(96_000)
        #expect(abs(TestSound.level(of: 400, in: heard, rate: 48_000) - 0.25) < 0.03)
        let statistics = call.second.receiver.statistics
        #expect(statistics.packetsLost == 0)
        #expect(statistics.concealedSamples == 0)
        #expect((240...251).contains(statistics.packetsReceived))
        #expect(abs(statistics.audioLevel - 0.177) < 0.02)
        #expect(call.first.sender.statistics.packetsSent >= statistics.packetsReceived)
        #expect(call.first.sender.statistics.redundancy == 0)
    }

    /// A call over a line, without an encoder: speech that was encoded before goes round and round.
    private static func call(
        seed: UInt64, drift: Double = 0, seconds: Double, line: @escaping VirtualCall.Line
    ) throws -> VirtualCall {
        var call = VirtualCall(seed: seed, line: line)
        call.first.voice = .packets(try Self.speech())
        call.second.isListening = true
        call.second.keepsDelays = true
        call.second.drift = drift
        call.run(seconds: seconds)
        return call
    }

    private static func speech() throws -> [[UInt8]] {
        var settings = OpusEncoder.Settings()
        settings.complexity = 0
        let encoder = try OpusEncoder(rate: 48_000, channels: 1, settings: settings)
        let sound = TestSound.babble(seconds: 2, rate: 48_000)
        var packet: [UInt8] = []
        return try stride(from: 0, to: sound.count, by: 960).map { start in
            try encoder.encode(sound.span.extracting(start..<(start + 960)), into: &packet)
            return packet
        }
    }

    private static func concealed(_ call: borrowing VirtualCall) -> Double {
        let statistics = call.second.receiver.statistics
        return Double(statistics.concealedSamples) / Double(statistics.totalSamplesReceived)
    }

    @Test("makes up next to nothing where a fifth of all packets gets lost", arguments: 0..<3 as Range<UInt64>)
    func loss(seed: UInt64) throws {
        let call = try Self.call(seed: seed, seconds: 120, line: VirtualLine.even(50, jitter: 10, loss: 0.2))
        // Of which the first second, without copies, is a fifth.
        #expect(Self.concealed(call) < 0.015)
        #expect(call.second.receiver.statistics.fecPacketsReceived > 9000)
        let used =
            call.second.receiver.statistics.fecPacketsReceived - call.second.receiver.statistics.fecPacketsDiscarded
        // What is only late counts as well when its copy was quicker.
        #expect((0.17...0.28).contains(Double(used) / 6000))
    }

    @Test(
        "makes up a fiftieth at most where a tenth of all packets gets lost in bursts",
        arguments: 0..<2 as Range<UInt64>)
    func bursts(seed: UInt64) throws {
        let call = try Self.call(
            seed: seed, seconds: 120, line: VirtualLine.bursts(50, jitter: 10, loss: 0.1, length: 2.5))
        #expect(Self.concealed(call) <= 0.02)
        #expect((0.08...0.12).contains(Double(call.second.receiver.statistics.packetsLost) / 6000))
    }

    @Test("is silent 300 ms after the last packet, and heard again when they come again")
    func end() {
        var call = VirtualCall(line: { packet, _ in (5000..<8000).contains(packet.time) ? nil : 50 })
        call.first.voice = .sound(Self.tone)
        call.second.isListening = true
        // The last packet comes 50 ms after it was sent.
        call.run(seconds: 5.05)
        #expect(call.second.heard.suffix(960).contains { abs($0) > 0.1 })
        call.run(seconds: 0.3)
        call.run(seconds: 2.6)
        #expect(call.second.heard.suffix(Int(2.6 * 48_000)).allSatisfy { $0 == 0 })
        call.run(seconds: 2)
        #expect(abs(TestSound.level(of: 400, in: call.second.heard.suffix(48_000), rate: 48_000) - 0.25) < 0.03)
    }

    @Test("waits less than 65 ms where packets come 10 ms earlier or later", arguments: 0..<3 as Range<UInt64>)
    func jitter(seed: UInt64) throws {
        let call = try Self.call(seed: seed, seconds: 120, line: VirtualLine.even(50, jitter: 10))
        let statistics = call.second.receiver.statistics
        #expect(Self.concealed(call) < 0.002)
        let mean = statistics.jitterBufferDelay / .milliseconds(1) / Double(statistics.jitterBufferEmittedCount)
        #expect((20...65).contains(mean))
    }

    @Test("waits 70 ms again five seconds after the way has become 200 ms longer", arguments: 0..<3 as Range<UInt64>)
    func longerWay(seed: UInt64) throws {
        let call = try Self.call(seed: seed, seconds: 40) { packet, random in
            (packet.time < 20_000 ? 50 : 250) + random.normal(10)
        }
        for second in 25..<40 {
            let piece = call.second.delays.filter { Int($0.time / 1000) == second }.map(\.delay)
            #expect(piece.reduce(0, +) / Double(piece.count) <= 70)
        }
    }

    @Test("misses nothing within an hour whose clocks go apart", arguments: [-300, 300] as [Double])
    func drift(millionths: Double) throws {
        // The shortest packet that holds sound, for an hour of decoding is long.
        var call = VirtualCall(seed: 9, line: VirtualLine.even(50, jitter: 2))
        call.first.voice = .packets([[0xF8, 0xFF, 0xFE]])
        call.second.isListening = true
        call.second.keptSound = 0
        call.second.keepsDelays = true
        call.second.drift = millionths
        call.run(seconds: 3600)
        #expect(call.second.receiver.statistics.concealedSamples == 0)
        let delays = call.second.delays.filter { $0.time > 10_000 }.map(\.delay)
        #expect((delays.max() ?? 0) - (delays.min() ?? 0) < 40)
        let seconds = stride(from: 0, to: delays.count - 50, by: 50).map { start in
            delays[start..<(start + 50)].reduce(0, +) / 50
        }
        let mean = seconds.reduce(0, +) / Double(seconds.count)
        #expect((seconds.map { abs($0 - mean) }.max() ?? 0) <= 10)
    }

    @Test("stays as late as it was through silences in which next to nothing is sent")
    func silences() {
        let voice = TestSound.babble(seconds: 3, rate: 48_000)
        var call = VirtualCall(
            seed: 4, sender: { $0.usesDTX = true }, line: VirtualLine.even(50, jitter: 5))
        call.first.voice = .sound(voice + [Float](repeating: 0, count: 48_000 * 4))
        call.second.isListening = true
        call.run(seconds: 42)
        let statistics = call.second.receiver.statistics
        #expect(call.first.sender.statistics.packetsSent < 1300)
        #expect(statistics.silentConcealedSamples > 48_000 * 12)
        #expect(statistics.concealedSamples - statistics.silentConcealedSamples < 48_000)
        #expect(call.second.receiver.delay < .milliseconds(150))
        // Speech is heard in each turn, and nothing in between.
        let level = { (start: Int) -> Float in
            let piece = call.second.heard.suffix(7 * 48_000).dropFirst(start * 4800).prefix(4800)
            return piece.reduce(0) { max($0, abs($1)) }
        }
        let levels = (0..<70).map(level)
        #expect(levels.filter { $0 > 0.1 }.count >= 20)
        #expect(levels.filter { $0 < 0.01 }.count >= 30)
    }

    @Test("hears both sides of a stereo sound")
    func stereo() {
        let left = TestSound.sine(500, seconds: 1, rate: 48_000)
        let right = TestSound.sine(900, seconds: 1, rate: 48_000)
        var call = VirtualCall(
            seed: 4,
            sender: {
                $0.isStereo = true
                $0.initialBitRate = 96_000
                $0.maximumBitRate = 96_000
            }, receiver: { $0.isStereo = true }, line: VirtualLine.even(50))
        call.first.voice = .sound(zip(left, right).flatMap { [$0, $1] })
        call.second.isListening = true
        call.run(seconds: 4)
        let heard = Array(call.second.heard.suffix(96_000))
        let sides = (0..<2).map { side in stride(from: side, to: heard.count, by: 2).map { heard[$0] } }
        #expect(TestSound.level(of: 500, in: sides[0], rate: 48_000) > 0.2)
        #expect(TestSound.level(of: 500, in: sides[1], rate: 48_000) < 0.05)
        #expect(TestSound.level(of: 900, in: sides[1], rate: 48_000) > 0.2)
    }

    @Test("passes packets on without a decoder, and lends each once")
    func echo() throws {
        var call = VirtualCall(
            seed: 8,
            receiver: {
                $0.lendsPayloads = true
                $0.isPlayed = false
            }, line: VirtualLine.even(50, jitter: 10, loss: 0.05))
        call.first.voice = .packets(try Self.speech())
        call.second.voice = .echo
        call.run(seconds: 60)
        // Each way a twentieth is lost, most of it comes back in copies.
        #expect(call.second.sender.statistics.packetsSent > 2900)
        #expect(call.second.sender.statistics.packetsSent <= 3000)
        #expect(call.first.receiver.statistics.packetsReceived > 2700)
        #expect(call.second.receiver.statistics.totalSamplesReceived == 0)
    }

    @Test("measures the round trip")
    func roundTrip() throws {
        var call = VirtualCall(line: VirtualLine.even(50))
        call.first.voice = .sound(Self.tone)
        call.run(seconds: 8)
        let roundTrip = try #require(call.first.sender.statistics.roundTripTime)
        #expect((.milliseconds(98)...(.milliseconds(104))).contains(roundTrip))
        #expect(call.first.sender.statistics.roundTripTimeMeasurements >= 3)
    }
}
