import Bytes

/// Reads the packets out of a WebM or Matroska file with Opus in it: what a browser records.
///
/// The walk is flat. Segments and clusters are entered and never left, because a live recording does
/// not know their size; what is inside tells itself apart.
package struct WebMOpusReader: OpusFileReader {
    private enum ID {
        static let ebml: UInt32 = 0x1A45_DFA3
        static let segment: UInt32 = 0x1853_8067
        static let info: UInt32 = 0x1549_A966
        static let timestampScale: UInt32 = 0x2AD7B1
        static let tracks: UInt32 = 0x1654_AE6B
        static let cluster: UInt32 = 0x1F43_B675
        static let timestamp: UInt32 = 0xE7
        static let simpleBlock: UInt32 = 0xA3
        static let blockGroup: UInt32 = 0xA0
    }

    /// The largest part read at once. Larger ones (video, pictures) are passed over.
    private static let maximumPartBytes = 1 << 20
    /// A recorder's time stamps tremble; only more than this is missing sound.
    private static let tolerance = OpusPacket.clockRate / 8

    private var input = InputBuffer()
    private var events = EventQueue<OpusFileEvent>()
    /// Bytes of an unwanted element that are still to come.
    private var passing = 0
    private var nanosecondsPerTick: Int64 = 1_000_000
    private var clusterTime: Int64 = 0
    private var track: UInt64?
    private var preSkipLeft = 0
    /// Where the first packet stands in the file's own time, in samples at 48 kHz.
    private var start: Int64?
    /// The sound read so far.
    private var position: Int64 = 0
    private var gaps = GapBudget()
    private var isOver = false

    package init() {}

    package mutating func append(_ bytes: Span<UInt8>) { self.input.append(bytes) }
    package mutating func finish() { self.input.finish() }

    package mutating func next() throws(AudioFileError) -> OpusFileEvent? {
        while true {
            if let event = self.events.take() { return event }
            guard !self.isOver else { return nil }
            guard try self.readElement() else {
                guard self.input.isFinished else { return nil }
                try self.end()
                continue
            }
        }
    }

    private mutating func end() throws(AudioFileError) {
        self.isOver = true
        guard self.track != nil else { throw AudioFileError(.missing("an audio track"), at: self.input.offset) }
        if self.input.count > 0 || self.passing > 0 { self.events.add(.damage(at: self.input.offset)) }
    }

    /// False when more bytes are needed.
    private mutating func readElement() throws(AudioFileError) -> Bool {
        let passed = min(self.passing, self.input.count)
        self.input.drop(passed)
        self.passing -= passed
        guard self.input.count > 0, let header = try self.peekHeader() else { return false }
        if self.input.offset == 0, header.id != ID.ebml { throw AudioFileError(.notThisFormat, at: 0) }
        switch header.id {
        case ID.segment, ID.cluster: self.input.drop(header.length)
        case ID.ebml, ID.info, ID.tracks, ID.timestamp, ID.simpleBlock, ID.blockGroup:
            guard let size = header.size else { throw AudioFileError(.outOfRange, at: self.input.offset) }
            return try self.readPart(header.id, headerLength: header.length, size: size)
        default:
            guard let size = header.size else { throw AudioFileError(.outOfRange, at: self.input.offset) }
            self.input.drop(header.length)
            self.passing = size
        }
        return true
    }

    private func peekHeader() throws(AudioFileError) -> EBML.Header? {
        do {
            var reader = ByteReader(self.input.unread)
            return try EBML.readHeader(from: &reader)
        } catch {
            guard error.reason != .truncated else { return nil }
            throw AudioFileError(self.input.offset == 0 ? .notThisFormat : .outOfRange, at: self.input.offset)
        }
    }

    private mutating func readPart(_ id: UInt32, headerLength: Int, size: Int) throws(AudioFileError) -> Bool {
        guard size <= Self.maximumPartBytes else {
            guard id == ID.simpleBlock || id == ID.blockGroup else {
                throw AudioFileError(.tooLarge, at: self.input.offset)
            }
            self.input.drop(headerLength)
            self.passing = size
            return true
        }
        guard self.input.count >= headerLength + size else { return false }
        self.input.drop(headerLength)
        let offset = self.input.offset
        guard let content = self.input.take(size) else { return false }
        do {
            try self.read(id, content, at: offset)
        } catch let error as ByteError {
            try self.wasMalformed(id, at: offset + error.offset)
        } catch let error as AudioFileError {
            throw error
        } catch {
            throw AudioFileError(.outOfRange, at: offset)
        }
        return true
    }

    /// One bad block is damage; a bad description leaves nothing to read.
    private mutating func wasMalformed(_ id: UInt32, at offset: Int) throws(AudioFileError) {
        guard id == ID.simpleBlock || id == ID.blockGroup else { throw AudioFileError(.outOfRange, at: offset) }
        self.events.add(.damage(at: offset))
    }

    private mutating func read(_ id: UInt32, _ content: [UInt8], at offset: Int) throws {
        switch id {
        case ID.info: try self.readInfo(content.span)
        case ID.tracks: try self.readTracks(content.span, at: offset)
        case ID.timestamp:
            let time = try EBML.unsigned(content.span)
            // A year of milliseconds; more would only serve to overflow.
            guard time < 1 << 35 else { throw ByteError(.outOfRange, at: 0) }
            self.clusterTime = Int64(time)
        case ID.simpleBlock: try self.received(try WebMBlock(parsing: content.span), at: offset)
        case ID.blockGroup:
            if let block = try WebMBlock(group: content.span) { try self.received(block, at: offset) }
        default: break
        }
    }

    private mutating func readInfo(_ content: Span<UInt8>) throws(ByteError) {
        var scale: UInt64 = 1_000_000
        try EBML.forEach(in: content) { id, value, _ throws(ByteError) in
            if id == ID.timestampScale { scale = try EBML.unsigned(value) }
        }
        guard (1...100_000_000).contains(scale) else { throw ByteError(.outOfRange, at: 0) }
        self.nanosecondsPerTick = Int64(scale)
    }

    private mutating func readTracks(_ content: Span<UInt8>, at offset: Int) throws {
        let tracks = try WebMTrack.all(in: content).filter { $0.type == WebMTrack.audio }
        guard let track = tracks.first(where: { $0.codec == "A_OPUS" && !$0.isEncoded }) else {
            guard let other = tracks.first else { throw AudioFileError(.missing("an audio track"), at: offset) }
            throw AudioFileError(.otherCodec(other.codec), at: offset)
        }
        let head = try OpusHead(parsing: track.codecPrivate, at: offset + track.codecPrivateOffset)
        self.track = track.number
        self.preSkipLeft = head.preSkip
        self.start = nil
        self.position = 0
        self.events.add(.head(head))
    }

    private mutating func received(_ block: WebMBlock, at offset: Int) throws(AudioFileError) {
        guard block.track == self.track else { return }
        let ticks = self.clusterTime + Int64(block.time)
        self.checkTime(ticks * self.nanosecondsPerTick / 1000 * 6 / 125, at: offset)
        for (index, bytes) in block.frames.enumerated() {
            guard let duration = OpusPacket.duration(of: bytes.span) else {
                self.events.add(.damage(at: offset))
                continue
            }
            let isLast = index == block.frames.count - 1
            let padding = isLast ? Self.samples(block.discardPadding, atMost: duration) : 0
            let end = duration - padding
            let skipped = min(self.preSkipLeft, end)
            self.preSkipLeft -= skipped
            self.position += Int64(duration)
            let heard = skipped..<end
            self.events.add(.packet(OpusFilePacket(bytes: bytes, duration: duration, heard: heard, offset: offset)))
        }
    }

    private static func samples(_ nanoseconds: Int64, atMost limit: Int) -> Int {
        let clamped = min(max(0, nanoseconds), 1_000_000_000)
        return min(Int((clamped * 48 + 500_000) / 1_000_000), limit)
    }

    /// Compares the time of a block with the sound read so far.
    private mutating func checkTime(_ time: Int64, at offset: Int) {
        guard let start = self.start else {
            self.start = time
            return
        }
        let gap = time - start - self.position
        guard gap > Int64(Self.tolerance) else { return }
        guard self.gaps.grant(gap) else {
            // The clock jumped; the sound after it is taken as it comes.
            self.start = time - self.position
            return self.events.add(.damage(at: offset))
        }
        let whole = Int(gap) / 120 * 120
        self.events.add(.gap(whole))
        self.position += Int64(whole)
    }
}
