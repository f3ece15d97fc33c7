import AudioFiles
import TestSupport
import Testing

@Suite("A waveform")
struct WaveformTests {
    static func ramp(_ count: Int) -> Waveform {
        let bars = (0..<count).map { index in
            let level = Float(index) / Float(count - 1)
            return Waveform.Bar(peak: level, mean: level / 2, meanSquare: level * level / 3)
        }
        return Waveform(bars: bars, duration: 48_000)
    }

    @Test("for Telegram is a hundred values of five bits in 63 bytes, little end first")
    func telegram() {
        let bytes = Self.ramp(100).telegram
        #expect(bytes.count == 63)
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> UInt8($0) & 1 } }
        let values = (0..<100).map { bar in (0..<5).reduce(0) { $0 | Int(bits[bar * 5 + $1]) << $1 } }
        // Full height is 1.8 times the mean peak, which is half of full scale here.
        let expected = (0..<100).map { index -> Int in
            let peak = Int(Float(index) / 99 * 32767)
            let top = Int(Float((0..<100).reduce(0) { $0 + Int(Float($1) / 99 * 32767) }) / 100 * 1.8)
            return min(31, min(peak, top) * 31 / top)
        }
        #expect(values == expected)
        #expect(values.last == 31)
    }

    @Test("for Telegram stays flat where there is only noise")
    func quiet() {
        let bars = Array(repeating: Waveform.Bar(peak: 0.002, mean: 0.001, meanSquare: 1e-6), count: 100)
        #expect(Waveform(bars: bars, duration: 1).telegram == Array(repeating: 0, count: 63))
    }

    @Test("for WhatsApp, Discord and Matrix is measured against its loudest bar")
    func relative() {
        #expect(Self.ramp(64).whatsApp.count == 64)
        #expect(Self.ramp(64).whatsApp.first == 0 && Self.ramp(64).whatsApp.last == 100)
        #expect(Self.ramp(256).discord == (0...255).map { UInt8($0) })
        #expect(Self.ramp(65).matrix == (0...64).map { $0 * 16 })
    }

    @Test(
        "for Discord has a bar for every 100 ms, and 256 at most",
        arguments: [(0, 1), (4799, 1), (48_000, 10), (48_000 * 25, 250), (48_000 * 600, 256)]
    )
    func discordBars(samples: Int, bars: Int) {
        #expect(Waveform.discordBars(samples: samples, rate: 48_000) == bars)
    }

    @Test("of our own has a byte a bar: silence is 0, full scale 255")
    func levels() {
        let levels: [Float] = [0, 1e-6, 1e-3, 1]
        let bars = levels.map { Waveform.Bar(peak: 1, mean: 1, meanSquare: $0) }
        #expect(Waveform(bars: bars, duration: 1).levels == [0, 0, 128, 255])
    }

    @Test("is drawn with one character a bar")
    func drawing() {
        #expect(Self.ramp(20).drawing.count == 20)
        #expect(Self.ramp(20).drawing.first == " " && Self.ramp(20).drawing.last == "█")
    }

    @Test("of silence, and of nothing, is flat")
    func silence() {
        var meter = WaveformMeter()
        #expect(meter.bars(100).bars.isEmpty)
        meter.add([Float](repeating: 0, count: 1000).span)
        #expect(meter.bars(64).whatsApp == Array(repeating: 0, count: 64))
        #expect(meter.bars(0).bars.isEmpty)
    }

    @Test("of few samples has all its bars", arguments: [1, 3, 99, 100, 101])
    func short(samples: Int) {
        var meter = WaveformMeter()
        meter.add([Float](repeating: 1, count: samples).span)
        #expect(meter.bars(100).bars.map(\.peak) == Array(repeating: 1, count: 100))
    }

    @Test("of a long recording finds each part in its bar, in whatever pieces it comes")
    func long() {
        var meter = WaveformMeter()
        var other = WaveformMeter()
        let piece = 3700
        for part in 0..<100 {
            let sound = [Float](repeating: Float(part) / 100, count: piece)
            meter.add(sound.span)
            for start in stride(from: 0, to: piece, by: 100) { other.add(sound.span.extracting(start..<(start + 100))) }
        }
        #expect(meter.sampleCount == 370_000)
        for (part, bar) in meter.bars(100).bars.enumerated() {
            #expect(abs(bar.mean - Float(part) / 100) < 0.02)
        }
        #expect(meter.bars(100) == other.bars(100))
    }
}
