package import AudioFiles
import SoundFiles

/// What samples without a header are: `s16le:16000:1`.
package struct RawFormat: Hashable, Sendable {
    package var encoding: SampleEncoding
    package var sound: SoundFormat

    /// Reads `ENCODING:RATE:CHANNELS`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let encoding = Self.encodings[String(parts[0])] else { return nil }
        guard let rate = Int(parts[1]), SoundFormat.rates.contains(rate) else { return nil }
        guard let channels = Int(parts[2]), SoundFormat.channelCounts.contains(channels) else { return nil }
        self.encoding = encoding
        self.sound = SoundFormat(rate: rate, speakers: Speakers(count: channels))
    }

    package static let encodings: [String: SampleEncoding] = [
        "u8": .unsigned8, "s16le": .signed16, "s24le": .signed24, "s32le": .signed32, "f32le": .float32,
        "f64le": .float64, "s16be": .signed16BigEndian, "s24be": .signed24BigEndian, "s32be": .signed32BigEndian,
    ]
}

/// Samples without a header.
final class RawSource: SoundSource {
    let format: SoundFormat
    let kind = "raw samples"
    private let encoding: SampleEncoding
    private let file: InputFile
    private var input = InputBuffer()
    private var bytes: [UInt8] = []

    init(_ file: InputFile, as raw: RawFormat) {
        self.file = file
        self.format = raw.sound
        self.encoding = raw.encoding
    }

    func read(into samples: inout [Float]) throws {
        samples.removeAll(keepingCapacity: true)
        let frameSize = self.encoding.size * self.format.channels
        while self.input.count < frameSize {
            try self.file.read(into: &self.bytes)
            guard !self.bytes.isEmpty else { return }
            let bytes = self.bytes
            self.input.append(bytes.span)
        }
        let used = min(self.input.count / frameSize, pieceFrames) * frameSize
        self.encoding.decode(self.input.unread.extracting(0..<used), to: &samples)
        self.input.drop(used)
    }
}
