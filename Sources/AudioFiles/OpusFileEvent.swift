/// What comes out of a file with Opus in it, whatever the container, in the order of the file.
package enum OpusFileEvent: Hashable, Sendable {
    /// A stream begins. A chained file has several, one after the other.
    case head(OpusHead)
    case tags(OpusTags)
    case packet(OpusFilePacket)
    /// Sound is missing here, for so many samples at 48 kHz: the decoder should conceal it.
    case gap(Int)
    /// Something at this byte could not be read and was left out.
    case damage(at: Int)
}

/// One Opus packet and how much of its sound belongs to the recording.
package struct OpusFilePacket: Hashable, Sendable {
    package var bytes: [UInt8]
    /// How long the packet lasts, in samples at 48 kHz.
    package var duration: Int
    /// Which of those samples are heard: pre-skip drops some in front, the end trim some behind.
    package var heard: Range<Int>
    /// Where in the file the page, or block, that brought it begins.
    package var offset: Int

    package init(bytes: [UInt8], duration: Int, heard: Range<Int>, offset: Int) {
        self.bytes = bytes
        self.duration = duration
        self.heard = heard
        self.offset = offset
    }
}

/// Reads the packets out of a file with Opus in it; bytes come in pieces of any size.
package protocol OpusFileReader: Sendable {
    mutating func append(_ bytes: Span<UInt8>)
    /// No more bytes will come.
    mutating func finish()
    /// The next event, or nil when more bytes are needed or, after `finish`, when the file is over.
    mutating func next() throws(AudioFileError) -> OpusFileEvent?
}

/// How much missing sound a file may still claim before the claim itself is taken for damage.
///
/// A few bytes can claim a minute, and that minute would have to be concealed.
struct GapBudget: Sendable {
    /// In samples at 48 kHz: a minute at once …
    private static let maximumSamples = 60 * OpusPacket.clockRate
    /// … and ten in a file.
    private var left = 600 * OpusPacket.clockRate

    /// Whether a gap is believed.
    mutating func grant(_ samples: Int64) -> Bool {
        guard samples <= Int64(min(Self.maximumSamples, self.left)) else { return false }
        self.left -= Int(samples)
        return true
    }
}
