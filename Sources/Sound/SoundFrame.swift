/// The piece in which sound from a microphone and for a loudspeaker is handled.
package enum SoundFrame {
    package static let rate: Int32 = 48_000
    /// Ten milliseconds.
    package static let samples = 480
    package static let duration = Duration.milliseconds(10)
}
