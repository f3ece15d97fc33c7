package import System
package import AudioStreams
package import Vocabulary

/// Who gets what is heard.
package protocol SoundSink: SoundEnd {
    /// The call stands; what comes has its place in time from here.
    func began(at start: Instant)
    /// Sound as it is played, 48 kHz, the channels of a moment side by side.
    func heard(_ sound: Span<Float>)
    /// A packet of Opus as it came, in its order.
    func received(_ payload: AudioPayload)
    /// The call is over: what is kept is to be made whole.
    func finish()
    /// Why something could not be kept.
    var failure: SystemError? { get }
}

extension SoundSink {
    package func began(at start: Instant) {}
    package func heard(_ sound: Span<Float>) {}
    package func received(_ payload: AudioPayload) {}
    package func finish() {}
    package var failure: SystemError? { nil }
}
