package import System
internal import AudioFiles

/// Samples as they were played, or spoken.
package final class WAVRecorder: SoundSink {
    private let file: RecordingFile
    private let writer: WAVWriter
    private var bytes: [UInt8] = []
    private var written = 0

    package init(_ path: String, channels: Int = 1) throws(SystemError) {
        let sound = SoundFormat(rate: 48_000, speakers: Speakers(count: channels))
        self.writer = WAVWriter(format: WAVFormat(sound: sound, encoding: .signed16))
        self.file = try RecordingFile(path, startingWith: self.writer.openHeader)
    }

    package var failure: SystemError? { self.file.failure }

    package func heard(_ sound: Span<Float>) {
        for index in sound.indices {
            let sample = Int16(max(-1, min(1, sound[index])) * 32767)
            self.bytes.append(UInt8(truncatingIfNeeded: sample))
            self.bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        if self.bytes.count >= Self.saveEvery { self.save() }
    }

    private func save() {
        self.file.append(self.bytes)
        if self.file.failure == nil { self.written += self.bytes.count }
        self.bytes.removeAll(keepingCapacity: true)
    }

    package func finish() {
        self.save()
        self.file.overwriteFront(with: self.writer.header(for: self.written))
    }

    /// A second of one channel.
    private static let saveEvery = 96_000
}
