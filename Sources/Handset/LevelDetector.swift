/// Tells sound from silence, and how loud it is.
package final class LevelDetector: SoundSink {
    /// Of the last piece, from 0 to 1.
    package private(set) var level: Float = 0
    /// So many samples were louder than a quiet room.
    package private(set) var audibleSamples = 0
    package private(set) var samples = 0

    /// −50 dBFS: below it lie comfort noise and what codecs make of silence.
    private static let quiet: Float = 0.00316
    /// A click is not a voice.
    private let enough: Int

    package init(channels: Int = 1) { self.enough = 48_000 / 5 * channels }

    /// There was sound for long enough to be a voice.
    package var hasHeardSound: Bool { self.audibleSamples >= self.enough }

    package func heard(_ sound: Span<Float>) {
        guard !sound.isEmpty else { return }
        var sum: Float = 0
        for index in sound.indices { sum += sound[index] * sound[index] }
        self.level = (sum / Float(sound.count)).squareRoot()
        self.samples += sound.count
        if self.level > Self.quiet { self.audibleSamples += sound.count }
    }
}
