import AudioFiles
import SoundFiles

/// The sound of a WAV file, or of the WAV file that comes out of ffmpeg.
final class WAVSource: SoundSource {
    let format: SoundFormat
    let kind: String
    var damage: [Int] { self.reader.truncatedAt.map { [$0] } ?? [] }

    private var reader = WAVReader()
    private let refill: (inout [UInt8]) throws -> Void
    private var bytes: [UInt8] = []

    /// `refill` reads more bytes over its argument; an empty one is the end.
    init(kind: String, refill: @escaping (inout [UInt8]) throws -> Void) throws {
        self.kind = kind
        self.refill = refill
        var reader = WAVReader()
        var bytes: [UInt8] = []
        while try !reader.readHeader() {
            try refill(&bytes)
            bytes.isEmpty ? reader.finish() : reader.append(bytes.span)
        }
        guard let format = reader.format else { throw AudioFileError(.missing("the fmt chunk"), at: 0) }
        self.format = format.sound
        self.reader = reader
    }

    convenience init(_ file: InputFile, startingWith start: [UInt8]) throws {
        var start = start
        try self.init(kind: "WAV") { bytes in
            guard start.isEmpty else {
                bytes = start
                start = []
                return
            }
            try file.read(into: &bytes)
        }
    }

    convenience init(_ child: FFmpeg) throws {
        try self.init(kind: "ffmpeg") { try child.read(into: &$0) }
    }

    func read(into samples: inout [Float]) throws {
        samples.removeAll(keepingCapacity: true)
        while !self.reader.isOver {
            guard self.reader.read(upTo: pieceFrames, into: &samples) == 0, !self.reader.isOver else { return }
            try self.refill(&self.bytes)
            let bytes = self.bytes
            bytes.isEmpty ? self.reader.finish() : self.reader.append(bytes.span)
        }
    }
}
