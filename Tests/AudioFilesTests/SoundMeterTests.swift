import AudioFiles
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The signals of EBU Tech 3341 and 3342, made here: they are all sines.
@Suite("A loudness meter")
struct SoundMeterTests {
    private static let rate = 48_000

    private static func sine(
        _ decibels: Double, seconds: Double, hertz: Double = 1000, channels: Int = 2, rate: Int = rate,
        phase: Double = 0
    ) -> [Float] {
        let level = pow(10, decibels / 20)
        return (0..<Int(seconds * Double(rate))).flatMap { index in
            let sample = Float(level * sin(2 * .pi * hertz * Double(index) / Double(rate) + phase))
            return Array(repeating: sample, count: channels)
        }
    }

    private static func loudness(_ parts: [[Float]], speakers: Speakers = Speakers(count: 2), rate: Int = rate)
        -> Double?
    {
        var meter = LoudnessMeter(format: SoundFormat(rate: rate, speakers: speakers))
        for part in parts { meter.add(part.span) }
        return meter.integrated
    }

    @Test("reads a stereo sine as EBU Tech 3341 asks, cases 1 and 2", arguments: [-23.0, -33.0])
    func sines(level: Double) throws {
        let measured = try #require(Self.loudness([Self.sine(level, seconds: 4)]))
        #expect(abs(measured - level) < 0.1)
    }

    @Test("leaves out what its gates hold back, case 3")
    func gates() throws {
        let parts = [Self.sine(-36, seconds: 2), Self.sine(-23, seconds: 12), Self.sine(-36, seconds: 2)]
        let measured = try #require(Self.loudness(parts))
        #expect(abs(measured + 23) < 0.1)
    }

    @Test("leaves out near silence too, case 4")
    func absoluteGate() throws {
        let parts = [-72.0, -36, -23, -36, -72].map { Self.sine($0, seconds: $0 == -23 ? 12 : 2) }
        let measured = try #require(Self.loudness(parts))
        #expect(abs(measured + 23) < 0.1)
    }

    @Test("weighs the five channels of case 6")
    func surround() throws {
        let levels: [Double] = [-28, -28, -24, -30, -30]
        let channels = levels.map { Self.sine($0, seconds: 3, channels: 1) }
        let sound = channels[0].indices.flatMap { index in channels.map { $0[index] } }
        let measured = try #require(Self.loudness([sound], speakers: Speakers(count: 5)))
        #expect(abs(measured + 23) < 0.1)
    }

    @Test("reads the same at every rate", arguments: [8000, 11_025, 16_000, 44_100, 96_000])
    func rates(rate: Int) throws {
        let measured = try #require(Self.loudness([Self.sine(-23, seconds: 2, rate: rate)], rate: rate))
        #expect(abs(measured + 23) < 0.15)
    }

    @Test("says nothing about silence, or about less than 400 ms")
    func nothing() {
        #expect(Self.loudness([[Float](repeating: 0, count: 96_000)]) == nil)
        #expect(Self.loudness([Self.sine(-20, seconds: 0.39)]) == nil)
        #expect(Self.loudness([]) == nil)
    }

    @Test("finds the peak between the samples, EBU Tech 3341 cases 15 to 18", arguments: [0.0, 45, 60, 67.5])
    func truePeak(degrees: Double) {
        var meter = TruePeakMeter()
        let hertz = degrees == 60 ? 8000.0 : degrees == 67.5 ? 6000 : 12_000
        var sound = Self.sine(-6, seconds: 0.1, hertz: hertz, channels: 1, phase: degrees * .pi / 180)
        // A sine that begins all at once is no sine; a fade makes it one.
        for index in 0..<1000 { sound[index] *= Float(index) / 1000 }
        for index in 0..<1000 { sound[sound.count - 1 - index] *= Float(index) / 1000 }
        for start in stride(from: 0, to: sound.count, by: 100) {
            meter.add(sound.span.extracting(start..<(start + 100)))
        }
        let peak = 20 * log10(Double(meter.peak))
        #expect(peak > -6.4 && peak < -5.8)
    }

    @Test("counts silence and finds where the sound is")
    func silence() {
        let silent = [Float](repeating: 0, count: 24_000)
        var meter = SoundMeter(format: SoundFormat(rate: 48_000, speakers: Speakers(count: 1)))
        meter.add((silent + Self.sine(-20, seconds: 1, channels: 1) + silent).span)
        #expect(meter.silentShare == 0.5)
        #expect(meter.soundRange == 24_000..<72_000)
        #expect(meter.frames == 96_000)
        #expect(abs(meter.peak - 0.1) < 0.001)
    }

    @Test("finds no sound in silence")
    func onlySilence() {
        var meter = SoundMeter(format: SoundFormat(rate: 48_000, speakers: Speakers(count: 2)))
        meter.add([Float](repeating: 0, count: 9600).span)
        #expect(meter.soundRange == nil && meter.silentShare == 1 && meter.integratedLoudness == nil)
    }
}

@Suite("Many channels in one")
struct DownmixTests {
    @Test("weigh as ITU-R BS.775 says and never clip", arguments: 1...8)
    func weights(count: Int) {
        let weights = Speakers(count: count).monoWeights
        #expect(abs(weights.reduce(0, +) - 1) < 1e-6)
        guard count == 6 else { return }
        let centre = weights[2]
        #expect(abs(weights[0] / centre - 0.7071) < 1e-4 && weights[0] == weights[1])
        #expect(weights[3] == 0 && abs(weights[4] / centre - 0.5) < 1e-6)
    }

    @Test("are mixed sample by sample")
    func mix() {
        var mono: [Float] = []
        Downmix.mix([1, 0, 0.5, 0.5, -1, 1].span, weights: [0.5, 0.5], into: &mono)
        #expect(mono == [0.5, 0.5, 0])
        Downmix.mix([1, 2, 3, 4, 5, 6].span, weights: [1, 0, 0.5], into: &mono)
        #expect(mono == [2.5, 7])
    }

    @Test("of a file with nothing but the low frequency channel are not silent")
    func onlyLowFrequency() {
        #expect(Speakers(count: 1, mask: 8).monoWeights == [1])
    }

    @Test("in the order of Vorbis are found in the order of WAV")
    func order() {
        #expect(Speakers(vorbisOrder: 6).wavOrder == [0, 2, 1, 5, 3, 4])
        #expect(Speakers(vorbisOrder: 2).wavOrder == [0, 1])
        #expect(Speakers(vorbisOrder: 8).mask == Speakers(count: 8).mask)
    }
}
