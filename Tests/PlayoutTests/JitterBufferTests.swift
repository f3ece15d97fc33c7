import Playout
import TestSupport
import Testing
import Vocabulary

@Suite("The wait before sound is heard")
struct PlayoutBufferTests {
    private static func jitter(_ deviation: Double) -> (Int, inout SeededRandom) -> Double? {
        { _, random in max(0, 50 + random.normal(deviation)) }
    }

    /// Nothing clicks: no step between two samples is much larger than the tone's own.
    private static func expectSmooth(_ sound: [Float], after start: Int = 48_000) {
        let steps = zip(sound[start...], sound[(start + 1)...]).map { abs($0 - $1) }
        #expect((steps.max() ?? 0) < 0.02, "a click of \(steps.max() ?? 0)")
    }

    @Test("is short and without a gap when nothing varies")
    func calm() {
        var stream = VirtualStream(seed: 1) { _, _ in 50 }
        stream.run(seconds: 20)
        #expect(stream.buffer.statistics.concealedSamples == 0)
        #expect(stream.delays.suffix(10).allSatisfy { $0 <= 35 })
        Self.expectSmooth(stream.sound)
        #expect(abs(TestSound.level(of: 400, in: stream.sound.suffix(48_000), rate: 48_000) - 0.25) < 0.01)
    }

    @Test(
        "stays below 65 ms with packets that vary by 10 ms, and a thousandth is made up",
        arguments: 0..<3 as Range<UInt64>)
    func jitter(seed: UInt64) {
        var stream = VirtualStream(seed: seed, network: Self.jitter(10))
        stream.run(seconds: 40)
        #expect(stream.buffer.statistics.meanDelay <= .milliseconds(65))
        #expect(stream.concealed <= 0.002)
        Self.expectSmooth(stream.sound)
    }

    @Test("grows with the variation", arguments: [0, 5, 20, 40, 80])
    func moreJitter(deviation: Double) {
        var stream = VirtualStream(seed: 3, network: Self.jitter(deviation))
        stream.run(seconds: 40)
        let delay = stream.buffer.statistics.meanDelay / .milliseconds(1)
        #expect(delay <= 40 + 5 * deviation && delay >= deviation)
        #expect(stream.concealed <= 0.03)
    }

    @Test("stretches next to nothing however much packets vary, once it knows", arguments: [20, 50, 100])
    func calmStretching(deviation: Double) {
        var stream = VirtualStream(seed: 9) { _, random in max(0, 3 * deviation + random.normal(deviation)) }
        stream.run(seconds: 20)
        let before = stream.buffer.statistics
        stream.run(seconds: 60)
        let after = stream.buffer.statistics
        let inserted = after.insertedSamplesForDeceleration - before.insertedSamplesForDeceleration
        let removed = after.removedSamplesForAcceleration - before.removedSamplesForAcceleration
        #expect(Double(inserted + removed) / (60 * 48_000) <= 0.006)
        #expect(Double(after.concealedSamples - before.concealedSamples) / (60 * 48_000) <= 0.01)
    }

    @Test("is silent 300 ms after packets end, and begins softly when they come again")
    func end() {
        var stream = VirtualStream(seed: 10) { index, _ in (500..<700).contains(index) ? nil : 50 }
        stream.run(seconds: 20)
        // The last one was sent after 9.98 s and came 50 ms later.
        let silence = stream.sound[Int(10.33 * 48_000)..<(14 * 48_000)]
        #expect(silence.allSatisfy { $0 == 0 })
        #expect(stream.sound[(10 * 48_000)..<Int(10.1 * 48_000)].contains { abs($0) > 0.2 })
        Self.expectSmooth(stream.sound)
        #expect(abs(TestSound.level(of: 400, in: stream.sound[(15 * 48_000)...], rate: 48_000) - 0.25) < 0.01)
    }

    @Test("loses what is lost, and no more")
    func loss() {
        var stream = VirtualStream(seed: 4) { _, random in Int.random(in: 0..<5, using: &random) == 0 ? nil : 50 }
        stream.run(seconds: 40)
        let missing = stream.buffer.statistics.concealedSamples + stream.buffer.statistics.recoveredSamples
        let share = Double(missing) / Double(stream.buffer.statistics.emittedSamples)
        #expect((0.17...0.23).contains(share))
        #expect(stream.buffer.statistics.recoveredSamples > 2 * stream.buffer.statistics.concealedSamples)
    }

    @Test("finds two of three lost packets in their copies")
    func redundancy() {
        var stream = VirtualStream(seed: 5) { _, random in
            Int.random(in: 0..<5, using: &random) == 0 ? nil : 50 + random.normal(3)
        }
        stream.redundancy = 2
        stream.run(seconds: 40)
        let missing = stream.buffer.statistics.concealedSamples + stream.buffer.statistics.recoveredSamples
        let share = Double(missing) / Double(stream.buffer.statistics.emittedSamples)
        #expect(share <= 0.02)
        #expect(stream.buffer.statistics.redundantPacketsUsed > 250)
    }

    @Test("is short again five seconds after the way has become longer for good")
    func step() {
        var stream = VirtualStream(seed: 6) { index, random in
            (index < 1000 ? 50 : 250) + max(-50, random.normal(10))
        }
        stream.run(seconds: 35)
        #expect(stream.delays[25...].allSatisfy { $0 <= 70 }, "\(stream.delays)")
        #expect(stream.concealed < 0.02)
    }

    @Test("keeps its length while the clocks go apart", arguments: [-300, 300] as [Double])
    func drift(millionths: Double) {
        var stream = VirtualStream(seed: 7, network: Self.jitter(2))
        stream.drift = millionths
        stream.run(seconds: 120)
        #expect(stream.buffer.statistics.concealedSamples == 0)
        let later = stream.delays.suffix(90)
        let mean = later.reduce(0, +) / Double(later.count)
        #expect(later.allSatisfy { abs($0 - mean) <= 10 }, "\(later)")
        let (inserted, removed) = (
            stream.buffer.statistics.insertedSamplesForDeceleration,
            stream.buffer.statistics.removedSamplesForAcceleration
        )
        #expect(millionths < 0 ? removed > inserted : inserted > removed)
    }

    @Test("goes on after nothing came for a while, and after a stream that jumps")
    func silence() {
        var stream = VirtualStream(seed: 8) { index, _ in (300..<600).contains(index) ? nil : 50 }
        stream.run(seconds: 20)
        #expect(abs(TestSound.level(of: 400, in: stream.sound.suffix(48_000), rate: 48_000) - 0.25) < 0.01)
        #expect(stream.delays.suffix(5).allSatisfy { (10...60).contains($0) })
        stream.firstTimestamp &+= 0x4000_0000
        stream.run(seconds: 5)
        #expect(stream.delays.suffix(3).allSatisfy { (10...60).contains($0) })
    }

    @Test("takes each packet once, and late ones not at all")
    func duplicates() {
        var buffer = JitterBuffer(ToneDecoder())
        var output = [Float](repeating: 0, count: 480)
        for index in 0..<50 {
            let now = Instant(milliseconds: Int64(index * 20))
            let packet = ToneDecoder.packet(index)
            for _ in 0..<2 { buffer.insert(packet.span, timestamp: UInt32(index * 960), duration: 960, at: now) }
            for _ in 0..<2 {
                var span = output.mutableSpan
                buffer.pull(into: &span, at: now)
            }
        }
        let old = ToneDecoder.packet(3)
        let before = buffer.statistics.packetsDiscarded
        buffer.insert(old.span, timestamp: 3 * 960, duration: 960, at: Instant(milliseconds: 1000))
        #expect(buffer.statistics.packetsDiscarded == before + 1)
        #expect(buffer.statistics.packetsDecoded <= 50)
    }

    @Test("survives whatever comes whenever", arguments: 0..<20 as Range<UInt64>)
    func junk(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var buffer = JitterBuffer(ToneDecoder())
        var output = [Float](repeating: 0, count: 480)
        var now: Int64 = 0
        for _ in 0..<1000 {
            now += Bool.random(using: &random) ? .random(in: 0...50_000_000, using: &random) : 0
            let timestamp: UInt32 =
                Int.random(in: 0..<20, using: &random) == 0
                ? .random(in: 0 ... .max, using: &random) : UInt32(truncatingIfNeeded: now / 20_833)
            let packet = random.bytes([0, 1, 8, 8, 8].randomElement(using: &random) ?? 8)
            buffer.insert(
                packet.span, timestamp: timestamp, duration: .random(in: -1...7000, using: &random),
                isRedundant: .random(using: &random), at: Instant(nanoseconds: now))
            var span = output.mutableSpan
            buffer.pull(into: &span, at: Instant(nanoseconds: now))
            #expect(buffer.delay <= .seconds(40))
        }
        #expect(buffer.statistics.emittedSamples == 1000 * 480)
    }
}
