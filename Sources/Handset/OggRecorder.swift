package import System
internal import AudioFiles
package import AudioStreams
internal import OpusCodec
package import Vocabulary

/// Packets of Opus as they came, without a codec in between. What is missing is said to be missing.
package final class OggRecorder: SoundSink {
    private let file: RecordingFile
    private var writer: OggOpusWriter
    private var bytes: [UInt8] = []
    private var unsaved = 0
    /// When the recording began, until the first packet says how much is missing in front of it.
    private var start: Instant?

    /// - Parameter channels: that a player makes of it; a packet may have one or two.
    package init(_ path: String, channels: Int = 1) throws(SystemError) {
        // What a decoder makes before it has heard enough (RFC 7845 §4.2); it is not missed.
        let head = OpusHead(channels: channels, preSkip: 312, inputRate: 48_000)
        let tags = OpusTags(vendor: OpusError.library, comments: ["ENCODER=\(Self.name)"])
        self.writer = OggOpusWriter(head: head, tags: tags, serial: .random(in: .min ... .max))
        var start: [UInt8] = []
        self.writer.start(into: &start)
        self.file = try RecordingFile(path, startingWith: start)
    }

    /// What a recording says of who made it.
    static let name = "parley call"

    package var failure: SystemError? { self.file.failure }

    package func began(at start: Instant) { self.start = start }

    package func received(_ payload: AudioPayload) {
        // Before the packet and not behind it: the last page has to have one (RFC 7845 §3).
        if self.unsaved >= Self.saveEvery { self.save() }
        let gap = min(max(payload.gap, self.missingAtStart(payload)), Self.maximumGap)
        // A packet that cannot be kept is as good as lost.
        if gap > 0 { _ = try? self.writer.addGap(gap, into: &self.bytes) }
        try? self.writer.add(payload.bytes.span, duration: payload.duration, into: &self.bytes)
        self.unsaved += gap + payload.duration
    }

    private func missingAtStart(_ payload: AudioPayload) -> Int {
        guard let start = self.start.take(), start < payload.arrival else { return 0 }
        return Int(clamping: start.duration(to: payload.arrival).clampedMilliseconds) * 48
    }

    private func save() {
        self.writer.flush(into: &self.bytes)
        self.file.append(self.bytes)
        self.bytes.removeAll(keepingCapacity: true)
        self.unsaved = 0
    }

    package func finish() {
        self.writer.finish(into: &self.bytes)
        self.file.append(self.bytes)
        self.bytes.removeAll()
    }

    private static let saveEvery = 48_000
    /// An hour; after a longer gap it is another call.
    private static let maximumGap = 48_000 * 3600
}
