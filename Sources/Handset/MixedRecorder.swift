package import System
internal import Bytes

/// Both sides of a call in one file of samples, as they would be heard between the two.
package final class MixedRecorder: SoundSink {
    private let recorder: WAVRecorder
    /// Was said, and not heard beside anything yet.
    private var said: [Float] = []
    private var mix: [Float] = []

    /// A fifth of a second: of a side that falls further behind, the oldest sound is dropped.
    private let maximumSaid: Int

    package init(_ path: String, channels: Int = 1) throws(SystemError) {
        self.maximumSaid = 48_000 / 5 * channels
        self.recorder = try WAVRecorder(path, channels: channels)
    }

    package var failure: SystemError? { self.recorder.failure }

    /// Takes what is said on our side; it comes before what is heard at the same time.
    package var own: any SoundSink { Own(mixer: self) }

    package func heard(_ sound: Span<Float>) {
        self.mix.removeAll(keepingCapacity: true)
        let both = min(sound.count, self.said.count)
        for index in 0..<both { self.mix.append(sound[index] + self.said[index]) }
        self.mix.append(copying: sound.extracting(both...))
        self.said.removeFirst(both)
        let mix = self.mix
        self.recorder.heard(mix.span)
    }

    package func finish() { self.recorder.finish() }

    private final class Own: SoundSink {
        let mixer: MixedRecorder

        init(mixer: MixedRecorder) { self.mixer = mixer }

        func heard(_ sound: Span<Float>) {
            self.mixer.said.append(copying: sound)
            let surplus = self.mixer.said.count - self.mixer.maximumSaid
            if surplus > 0 { self.mixer.said.removeFirst(surplus) }
        }
    }
}
