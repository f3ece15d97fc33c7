package import AudioStreams

/// Who gets what is heard.
package protocol SoundSink: AnyObject {
    /// Sound as it is played, 48 kHz, one channel.
    func heard(_ sound: Span<Float>)
    /// A packet of Opus as it came, in its order.
    func received(_ payload: AudioPayload)
    /// The call is over: what is kept is to be made whole.
    func finish()
}

extension SoundSink {
    package func heard(_ sound: Span<Float>) {}
    package func received(_ payload: AudioPayload) {}
    package func finish() {}
}
