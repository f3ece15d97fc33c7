import Sound
import System
import Testing

@Suite("Two clocks that differ a little")
struct DriftBufferTests {
    /// Writes ten milliseconds of a tone and reads ten, for so long, while the writer's clock is quicker by so many parts in a
    /// million.
    private static func run(_ partsPerMillion: Double, seconds: Int) -> (buffer: DriftBuffer, heard: [Float]) {
        var buffer = DriftBuffer(target: 720)
        var (written, phase, heard) = (0.0, 0.0, [Float]())
        var piece = [Float](repeating: 0, count: 480)
        for _ in 0..<(100 * seconds) {
            written += 480 * (1 + partsPerMillion / 1_000_000)
            var sound: [Float] = []
            while written >= 1 {
                sound.append(Float(0.5 * Math.sine(phase)))
                phase += 2 * Double.pi * 440 / 48_000
                written -= 1
            }
            buffer.append(sound.span)
            var span = piece.mutableSpan
            buffer.read(into: &span)
            heard += piece
        }
        return (buffer, heard)
    }

    /// Of samples that follow one another in a tone of 440 Hz at half the scale.
    private static let steepest: Float = 0.5 * 2 * 3.1416 * 440 / 48_000

    @Test("A clock that differs is followed without a gap or a click", arguments: [-300.0, -50, 50, 300])
    func followsDrift(partsPerMillion: Double) {
        let (buffer, heard) = Self.run(partsPerMillion, seconds: 120)
        #expect(buffer.underruns == 0 && buffer.jumps == 0)
        #expect(abs(buffer.correction * 1_000_000 - partsPerMillion) < 60)
        #expect((50...1440).contains(buffer.level))
        let settled = heard.dropFirst(4800)
        for (sample, next) in zip(settled, settled.dropFirst()) where abs(next - sample) > Self.steepest * 1.05 {
            Issue.record("a step of \(next - sample)")
            return
        }
    }

    @Test("Sound passes a drift buffer unchanged while the clocks agree")
    func passesUnchanged() {
        let (buffer, heard) = Self.run(0, seconds: 5)
        #expect(buffer.correction == 0 && buffer.underruns == 0)
        let tone = heard.drop { $0 == 0 }.prefix(4800)
        let expected = (241...5040).map { Float(0.5 * Math.sine(Double($0) * 2 * Double.pi * 440 / 48_000)) }
        #expect(zip(tone, expected).allSatisfy { abs($0 - $1) < 0.000_1 })
    }

    @Test("A drift buffer that ran dry is silent, waits for more, and keeps more in hand afterwards")
    func runsDry() {
        var buffer = DriftBuffer(target: 720)
        let sound = [Float](repeating: 0.5, count: 1000)
        var piece = [Float](repeating: 1, count: 480)
        buffer.append(sound.span)
        var results: [Bool] = []
        for _ in 0..<3 {
            var span = piece.mutableSpan
            results.append(buffer.read(into: &span))
        }
        #expect(results == [true, false, false] && piece.allSatisfy { $0 == 0 } && buffer.underruns == 1)
        buffer.append(sound.span.extracting(first: 700))
        #expect(!buffer.holds(480), "720 and 240 more are waited for")
        buffer.append(sound.span.extracting(first: 100))
        #expect(buffer.holds(480))
    }

    @Test("More than 60 ms too much in a drift buffer is cut off at once")
    func cutsOff() {
        var buffer = DriftBuffer(target: 720)
        let sound = [Float](repeating: 0.5, count: 4800)
        var piece = [Float](repeating: 0, count: 480)
        for jumps in 0...1 {
            buffer.append(sound.span)
            var span = piece.mutableSpan
            buffer.read(into: &span)
            #expect(buffer.jumps == jumps && buffer.level == 240)
        }
    }

    @Test("A drift buffer holds no more than a third of a second, whatever comes")
    func isBounded() {
        var buffer = DriftBuffer(target: 720)
        let sound = [Float](repeating: 0.5, count: 4800)
        for _ in 0..<100 { buffer.append(sound.span) }
        #expect(buffer.level <= 16_000)
    }
}
