package import System

/// Keeps what is heard in a file that is whole up to the last second at every moment.
package enum Recorder {
    /// The kind follows from the name: packets as they came in Ogg, or samples in WAV.
    package static func open(_ path: String, channels: Int = 1) throws(SystemError) -> any SoundSink {
        path.lowercased().hasSuffix(".wav")
            ? try WAVRecorder(path, channels: channels) : try OggRecorder(path, channels: channels)
    }
}
