internal import System
internal import RTP

/// How loud a piece of sound is.
struct SoundLevel: Hashable, Sendable {
    /// The mean of all squares.
    let power: Double

    init(_ sound: Span<Float>) {
        var sum: Float = 0
        for index in sound.indices { sum += sound[index] * sound[index] }
        self.power = sound.isEmpty ? 0 : Double(sum) / Double(sound.count)
    }

    /// From 0 to 1, a square wave of full scale.
    var amplitude: Double { self.power.squareRoot() }

    /// What is louder than this is taken for speech, in decibels below full scale.
    private static let voice: UInt8 = 50

    var header: RTPAudioLevel {
        let decibels = self.power > 0 ? -10 * Math.log10(self.power) : 127
        // Sound that is out of range, or no number at all, is not quiet.
        let attenuation = decibels.isFinite ? UInt8(min(max(0, decibels.rounded()), 127)) : 0
        return RTPAudioLevel(isVoice: attenuation < Self.voice, attenuation: attenuation)
    }
}
