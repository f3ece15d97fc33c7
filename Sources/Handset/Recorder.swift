package import System
internal import AudioFiles

/// Keeps what is heard in a file that is whole up to the last second at every moment.
package enum Recorder {
    /// The kind follows from the name: packets as they came in Ogg, or samples in WAV.
    package static func open(_ path: String, channels: Int = 1) throws(SystemError) -> any SoundSink {
        path.lowercased().hasSuffix(".wav")
            ? try WAVRecorder(path, channels: channels) : try OggRecorder(path, channels: channels)
    }

    /// Whether a file of packets was begun here: what others put beside it is not ours to remove.
    package static func hasMade(_ path: String) -> Bool {
        guard let front = FileSystem.front(of: path, maximum: 4096) else { return false }
        var reader = OggOpusReader()
        reader.append(front.span)
        for _ in 0..<2 {
            guard let event = try? reader.next() else { return false }
            if case .tags(let tags) = event { return tags["encoder"] == OggRecorder.name }
        }
        return false
    }
}
