import Bytes

/// Reads the sound out of a WAV, RF64 or BW64 file; bytes come in pieces of any size.
///
///     start ──RIFF──▶ chunks ──data──▶ sound ──its end──▶ over
package struct WAVReader: Sendable {
    private enum State: Hashable {
        /// Can become: chunks.
        case start
        /// Can become: sound.
        case chunks
        /// So many bytes of sound are to come; nil when the writer did not know. Can become: over.
        case sound(left: Int?)
        /// Whatever follows the sound is of no interest.
        case over
    }

    /// No chunk before the sound that we read is larger.
    private static let maximumChunkBytes = 64 << 10

    private var state = State.start
    private var input = InputBuffer()
    private var passing = 0
    private var isRF64 = false
    /// The size of the sound from the `ds64` chunk.
    private var wideSize: UInt64?
    package private(set) var format: WAVFormat?
    /// Samples of each channel the header announces; nil when it does not.
    package private(set) var announcedFrames: Int?
    /// Where the file stopped although more sound was announced.
    package private(set) var truncatedAt: Int?

    package init() {}

    package var isOver: Bool { self.state == .over }
    package mutating func append(_ bytes: Span<UInt8>) { self.input.append(bytes) }
    package mutating func finish() { self.input.finish() }

    /// Reads on to where the sound begins; false when more bytes are needed.
    package mutating func readHeader() throws(AudioFileError) -> Bool {
        while true {
            switch self.state {
            case .sound, .over: return true
            case .start: guard try self.readStart() else { return try self.needMore() }
            case .chunks: guard try self.readChunk() else { return try self.needMore() }
            }
        }
    }

    private func needMore() throws(AudioFileError) -> Bool {
        guard self.input.isFinished else { return false }
        guard self.state != .start else { throw AudioFileError(.notThisFormat, at: 0) }
        throw AudioFileError(.missing("the data chunk"), at: self.input.offset + self.input.count)
    }

    /// Appends up to `limit` samples of each channel to `samples` and says how many there were. Zero
    /// means that more bytes are needed, or that the sound `isOver`.
    package mutating func read(upTo limit: Int, into samples: inout [Float]) -> Int {
        guard case .sound(let left) = self.state, let format = self.format else { return 0 }
        let bytes = min(self.input.count, left ?? .max, limit * format.frameSize)
        let frames = bytes / format.frameSize
        let used = frames * format.frameSize
        format.encoding.decode(self.input.unread.extracting(0..<used), to: &samples)
        self.input.drop(used)
        let rest = left.map { $0 - used }
        self.state = .sound(left: rest)
        if let rest, rest < format.frameSize {
            self.state = .over
        } else if frames == 0, self.input.isFinished {
            self.state = .over
            if rest != nil { self.truncatedAt = self.input.offset + self.input.count }
        }
        return frames
    }

    private mutating func readStart() throws(AudioFileError) -> Bool {
        guard let start = self.input.take(12) else { return false }
        let kind = String(decoding: start[0..<4], as: UTF8.self)
        guard ["RIFF", "RF64", "BW64"].contains(kind), start[8...].elementsEqual("WAVE".utf8) else {
            throw AudioFileError(.notThisFormat, at: 0)
        }
        self.isRF64 = kind != "RIFF"
        self.state = .chunks
        return true
    }

    private mutating func readChunk() throws(AudioFileError) -> Bool {
        let passed = min(self.passing, self.input.count)
        self.input.drop(passed)
        self.passing -= passed
        guard self.passing == 0, self.input.count >= 8 else { return false }
        let (name, size) = self.peekChunk()
        if name == "data" {
            self.input.drop(8)
            try self.soundBegins(size)
            return true
        }
        guard name == "fmt " || name == "ds64" else {
            self.input.drop(8)
            // Chunks begin at even places.
            self.passing = Int(size) + Int(size & 1)
            return true
        }
        guard size <= Self.maximumChunkBytes else { throw AudioFileError(.tooLarge, at: self.input.offset + 4) }
        guard self.input.count >= 8 + Int(size) else { return false }
        self.input.drop(8)
        let offset = self.input.offset
        guard let content = self.input.take(Int(size)) else { return false }
        self.passing = Int(size & 1)
        try self.read(name, content, at: offset)
        return true
    }

    private func peekChunk() -> (name: String, size: UInt32) {
        let bytes = self.input.unread
        var name: [UInt8] = []
        for index in 0..<4 { name.append(bytes[index]) }
        var size: UInt32 = 0
        for index in (4..<8).reversed() { size = size << 8 | UInt32(bytes[index]) }
        return (String(decoding: name, as: UTF8.self), size)
    }

    private mutating func read(_ name: String, _ content: [UInt8], at offset: Int) throws(AudioFileError) {
        guard name == "ds64" else {
            self.format = try WAVFormat(parsing: content.span, at: offset)
            return
        }
        do {
            var reader = ByteReader(content.span)
            _ = try reader.skip(8)
            self.wideSize = try reader.readLittleEndian(UInt64.self)
        } catch {
            throw AudioFileError(.truncated, at: offset + error.offset)
        }
    }

    private mutating func soundBegins(_ size: UInt32) throws(AudioFileError) {
        guard let format = self.format else { throw AudioFileError(.missing("the fmt chunk"), at: self.input.offset) }
        let bytes: UInt64?
        if self.isRF64, size == .max, let wide = self.wideSize {
            bytes = wide
        } else {
            // Writers to a pipe cannot know the size; they leave it at zero or near the largest.
            let isUnknown = size == 0 || size >= 0xFFFF_FF00 || (0x7FFF_F000...0x7FFF_FFFF).contains(size)
            bytes = isUnknown ? nil : UInt64(size)
        }
        guard let bytes else {
            self.state = .sound(left: nil)
            return
        }
        guard bytes <= UInt64(Int.max / 2) else { throw AudioFileError(.outOfRange, at: self.input.offset) }
        self.announcedFrames = Int(bytes) / format.frameSize
        self.state = .sound(left: Int(bytes))
    }
}
