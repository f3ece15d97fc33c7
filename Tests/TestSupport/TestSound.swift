#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Sound made by rule, and what can be heard in sound.
package enum TestSound {
    package static func sine(_ hertz: Double, seconds: Double, rate: Int, level: Double = 0.25) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { index in
            Float(level * sin(2 * .pi * hertz * Double(index) / Double(rate)))
        }
    }

    /// Something like a voice: a buzz whose pitch and strength wander, with pauses.
    package static func babble(seconds: Double, rate: Int, seed: UInt64 = 1) -> [Float] {
        var random = SeededRandom(seed: seed)
        var phase = 0.0
        var pitch = 140.0
        return (0..<Int(seconds * Double(rate))).map { index in
            if index.isMultiple(of: max(1, rate / 8)) { pitch = .random(in: 90...260, using: &random) }
            phase += pitch / Double(rate)
            let syllable = max(0, sin(2 * .pi * 3.1 * Double(index) / Double(rate)))
            let buzz = (1...6).reduce(0.0) { $0 + sin(2 * .pi * phase * Double($1)) / Double($1) }
            return Float(0.15 * syllable * buzz + .random(in: -0.001...0.001, using: &random))
        }
    }

    /// How strong one frequency is, as the level of a sine (Goertzel).
    package static func level(of hertz: Double, in sound: some Collection<Float>, rate: Int) -> Double {
        let factor = 2 * cos(2 * .pi * hertz / Double(rate))
        var (last, before) = (0.0, 0.0)
        for sample in sound { (last, before) = (Double(sample) + factor * last - before, last) }
        let power = max(0, last * last + before * before - factor * last * before)
        return 2 * power.squareRoot() / Double(max(1, sound.count))
    }
}
