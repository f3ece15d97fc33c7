import AudioFiles
import SoundFiles

/// The sound of a file libsndfile reads.
final class LibrarySource: SoundSource {
    private let file: SoundFile
    var format: SoundFormat { self.file.format }
    var kind: String { self.file.kind }

    init(_ file: InputFile) throws {
        self.file = try SoundFile(file)
    }

    func read(into samples: inout [Float]) throws {
        try self.file.read(pieceFrames, into: &samples)
    }
}
