import Sound
import System
import TestSupport
import Testing

@Suite("What a microphone hears, cleaned")
struct EchoCancellerTests {
    /// Noise in syllables, a quarter second loud and a quarter quiet, much like speech.
    private static func speech(seconds: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        var (low, sound) = (Float(0), [Float]())
        sound.reserveCapacity(seconds * 48_000)
        for index in 0..<(seconds * 48_000) {
            let isLoud = (index / 12_000).isMultiple(of: 2)
            low += 0.1 * (Float.random(in: -1...1, using: &random) - low)
            sound.append(low * (isLoud ? 1 : 0.05))
        }
        return sound
    }

    /// A way of 60 ms, then a room that a sound dies away in. Half as loud as the loudspeaker.
    private static func echo(of sound: [Float]) -> [Float] {
        var random = SeededRandom(seed: 7)
        let taps = (0..<40).map { index in
            (
                delay: 2880 + 37 * index,
                gain: Float.random(in: -0.3...0.3, using: &random) * Float(Math.power(0.9, Double(index)))
            )
        }
        var echo = [Float](repeating: 0, count: sound.count)
        for (delay, gain) in taps {
            for index in delay..<sound.count { echo[index] += gain * sound[index - delay] }
        }
        return echo
    }

    private static func cleaned(_ near: [Float], far: [Float], _ settings: EchoCanceller.Settings) -> [Float] {
        let canceller = EchoCanceller(settings)
        var clean: [Float] = []
        for start in stride(from: 0, to: near.count, by: SoundFrame.samples) {
            var frame = Array(near[start..<start + SoundFrame.samples])
            canceller.process(&frame, hearing: Array(far[start..<start + SoundFrame.samples]))
            clean += frame
        }
        return clean
    }

    private static func decibels(_ sound: ArraySlice<Float>) -> Double {
        10 * Math.log10(sound.reduce(0) { $0 + Double($1) * Double($1) } / Double(sound.count) + 1e-12)
    }

    @Test("J31.echo The echo of a room is 30 dB quieter after eight seconds")
    func cancelsEcho() {
        let far = Self.speech(seconds: 12, seed: 1)
        let echo = Self.echo(of: far)
        let left = Self.cleaned(echo, far: far, .init())
        let late = 8 * 48_000
        #expect(Self.decibels(echo[late...]) - Self.decibels(left[late...]) >= 30)
    }

    @Test("An echo stays where nobody asked for its cancellation")
    func leavesEcho() {
        var settings = EchoCanceller.Settings()
        (settings.cancelsEcho, settings.suppressesNoise) = (false, false)
        let far = Self.speech(seconds: 1, seed: 1)
        let echo = Self.echo(of: far)
        #expect(Self.cleaned(echo, far: far, settings) == echo)
    }

    @Test("Steady noise is quieter after two seconds, and a voice in it is not")
    func suppressesNoise() {
        var random = SeededRandom(seed: 3)
        let noise = (0..<(4 * 48_000)).map { _ in Float.random(in: -0.01...0.01, using: &random) }
        let silence = [Float](repeating: 0, count: noise.count)
        let left = Self.cleaned(noise, far: silence, .init())
        let late = 2 * 48_000
        #expect(Self.decibels(noise[late...]) - Self.decibels(left[late...]) >= 6)
        let voice = zip(noise, Self.speech(seconds: 4, seed: 5)).map { $0 + $1 }
        let heard = Self.cleaned(voice, far: silence, .init())
        #expect(abs(Self.decibels(voice[late...]) - Self.decibels(heard[late...])) < 2)
    }

    @Test("What is no number is silence to the canceller")
    func survivesNonsense() {
        let canceller = EchoCanceller()
        var frame = [Float](repeating: .nan, count: SoundFrame.samples)
        frame[1] = .infinity
        canceller.process(&frame, hearing: [Float](repeating: -.infinity, count: SoundFrame.samples))
        #expect(frame.allSatisfy { $0.isFinite })
    }
}
