import AudioFiles
package import SoundFiles

/// Finds out what a file is and opens it with the reader that understands it.
package enum SoundOpener {
    package enum Opened {
        case opus(OpusFile)
        case sound(any SoundSource)
    }

    /// `raw` says what the samples are when the file has no header.
    package static func open(_ file: InputFile, raw: RawFormat? = nil) throws -> Opened {
        if let raw { return .sound(RawSource(file, as: raw)) }
        var start: [UInt8] = []
        try self.readStart(of: file, into: &start)
        guard !start.isEmpty else { throw AudioFileError(.truncated, at: 0) }
        do {
            if let opened = try self.openOwn(file, start: start) { return opened }
        } catch let error as AudioFileError {
            // Right container, other codec: libraries may know it.
            guard case .otherCodec = error.reason, file.isSeekable else { throw error }
            return .sound(try self.openForeign(file, start: start, otherwise: error))
        }
        return .sound(try self.openForeign(try self.whole(file, startingWith: start), start: start, otherwise: nil))
    }

    /// A pipe may hand out a few bytes at a time, but what a file is takes twelve.
    private static func readStart(of file: InputFile, into start: inout [UInt8]) throws {
        var piece: [UInt8] = []
        repeat {
            try file.read(into: &piece)
            start += piece
        } while start.count < 64 && !piece.isEmpty
    }

    private static func openOwn(_ file: InputFile, start: [UInt8]) throws -> Opened? {
        if start.starts(with: Array("OggS".utf8)) {
            return .opus(try OpusFile(file, reader: OggOpusReader(), container: "Ogg", startingWith: start))
        }
        if start.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            return .opus(try OpusFile(file, reader: WebMOpusReader(), container: "WebM", startingWith: start))
        }
        if start.count >= 12, start[8..<12].elementsEqual("WAVE".utf8), !start.starts(with: Array("RIFX".utf8)) {
            return .sound(try WAVSource(file, startingWith: start))
        }
        return nil
    }

    private static func openForeign(
        _ file: InputFile, start: [UInt8], otherwise: AudioFileError?
    ) throws -> any SoundSource {
        if !self.isForFFmpeg(start) {
            do {
                return try LibrarySource(file)
            } catch is SoundFile.Failure {
                // It is none of libsndfile's kinds; ffmpeg knows more.
            }
        }
        try file.rewind()
        do {
            return try WAVSource(try FFmpeg(reading: file))
        } catch let error as AudioFileError where error.reason == .notThisFormat {
            throw otherwise ?? AudioFileError(.notThisFormat, at: 0)
        }
    }

    /// Kinds that libsndfile would take for MP3, or not know: ADTS AAC, AMR, MP4.
    private static func isForFFmpeg(_ start: [UInt8]) -> Bool {
        let isADTS = start.count > 1 && start[0] == 0xFF && start[1] & 0xF6 == 0xF0
        let isMP4 = start.count > 8 && start[4..<8].elementsEqual("ftyp".utf8)
        return isADTS || isMP4 || start.starts(with: Array("#!AMR".utf8))
            || start.starts(with: [0x1A, 0x45, 0xDF, 0xA3])
    }

    /// A file whose beginning can be read again, although some of it has been read.
    private static func whole(_ file: InputFile, startingWith start: [UInt8]) throws -> InputFile {
        let whole = try file.rereadable(startingWith: start)
        try whole.rewind()
        return whole
    }
}
