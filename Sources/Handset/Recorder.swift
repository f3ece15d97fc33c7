internal import AudioFiles
internal import AudioStreams
internal import OpusCodec
package import SoundFiles

/// Keeps what is heard in a file that is whole up to the last second at every moment.
package enum Recorder {
    /// The kind follows from the name: packets as they came in Ogg, or samples in WAV.
    package static func open(_ path: String) throws(FileFailure) -> any SoundSink {
        path.lowercased().hasSuffix(".wav") ? try WAVRecorder(path) : try OggRecorder(path)
    }
}

/// Packets of Opus as they came, without a codec in between. What is missing is said to be missing.
final class OggRecorder: SoundSink {
    private let file: GrowingFile
    private var writer: OggOpusWriter
    private var bytes: [UInt8] = []
    private var unsaved = 0

    init(_ path: String) throws(FileFailure) {
        self.file = try GrowingFile(path: path)
        // What a decoder makes before it has heard enough (RFC 7845 §4.2); nobody misses it.
        let head = OpusHead(channels: 1, preSkip: 312, inputRate: 48_000)
        let tags = OpusTags(vendor: OpusError.library, comments: ["ENCODER=parley call"])
        self.writer = OggOpusWriter(head: head, tags: tags, serial: .random(in: .min ... .max))
        self.writer.start(into: &self.bytes)
        try self.file.append(self.bytes.span)
        self.bytes.removeAll(keepingCapacity: true)
    }

    func received(_ payload: AudioPayload) {
        // Before the packet and not behind it: the last page has to have one (RFC 7845 §3).
        if self.unsaved >= Self.saveEvery { self.save() }
        // A packet that cannot be kept is as good as lost.
        if payload.gap > 0 { _ = try? self.writer.addGap(min(payload.gap, Self.longestGap), into: &self.bytes) }
        try? self.writer.add(payload.bytes.span, duration: payload.duration, into: &self.bytes)
        self.unsaved += payload.duration
    }

    private func save() {
        self.writer.flush(into: &self.bytes)
        try? self.file.append(self.bytes.span)
        self.bytes.removeAll(keepingCapacity: true)
        self.unsaved = 0
    }

    func finish() {
        self.writer.finish(into: &self.bytes)
        try? self.file.append(self.bytes.span)
        self.bytes.removeAll()
    }

    private static let saveEvery = 48_000
    /// An hour; whoever was away longer has begun another call.
    private static let longestGap = 48_000 * 3600
}

/// Samples as they were played.
final class WAVRecorder: SoundSink {
    private let file: GrowingFile
    private let writer: WAVWriter
    private var bytes: [UInt8] = []
    private var written = 0

    init(_ path: String) throws(FileFailure) {
        self.file = try GrowingFile(path: path)
        let sound = SoundFormat(rate: 48_000, speakers: Speakers(count: 1))
        self.writer = WAVWriter(format: WAVFormat(sound: sound, encoding: .signed16))
        try self.file.append(self.writer.openHeader.span)
    }

    func heard(_ sound: Span<Float>) {
        for index in sound.indices {
            let sample = Int16(max(-1, min(1, sound[index])) * 32767)
            self.bytes.append(UInt8(truncatingIfNeeded: sample))
            self.bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        if self.bytes.count >= 96_000 { self.save() }
    }

    private func save() {
        try? self.file.append(self.bytes.span)
        self.written += self.bytes.count
        self.bytes.removeAll(keepingCapacity: true)
    }

    func finish() {
        self.save()
        try? self.file.overwriteFront(with: self.writer.header(for: self.written).span)
    }
}
