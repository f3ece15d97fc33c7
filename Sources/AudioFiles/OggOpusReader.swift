/// Reads the packets out of an Ogg Opus file (RFC 7845).
///
///     noStream ──Opus begins──▶ tags ──OpusTags──▶ sound ──last page──▶ noStream (perhaps a chained stream)
///
/// Pages of other streams are passed over. A lost page is told as damage, and the clock of the next
/// page says how much sound to conceal, so that what follows keeps its place in time.
package struct OggOpusReader: OpusFileReader {
    private enum State: Hashable {
        /// Between streams. Can become: tags.
        case noStream
        /// The head was read. Can become: sound.
        case tags
        /// Can become: noStream, or tags when a new stream begins without a goodbye.
        case sound
    }

    private var pages = OggPageReader()
    private var packets = OggPacketAssembler()
    private var state = State.noStream
    private var clock = GranuleClock()
    private var gaps = GapBudget()
    private var events = EventQueue<OpusFileEvent>()
    private var foundOpus = false
    /// The codec of the first stream that is not Opus, for the error that says so.
    private var otherCodec: (name: String, offset: Int)?

    package init() {}

    package mutating func append(_ bytes: Span<UInt8>) { self.pages.append(bytes) }
    package mutating func finish() { self.pages.finish() }

    package mutating func next() throws(AudioFileError) -> OpusFileEvent? {
        while true {
            if let event = self.events.take() { return event }
            switch self.pages.next() {
            case .page(let page, let offset): try self.received(page, at: offset)
            case .damage(let offset, _):
                if self.foundOpus { return .damage(at: offset) }
            case nil:
                try self.checkEnd()
                return nil
            }
        }
    }

    private func checkEnd() throws(AudioFileError) {
        guard self.pages.input.isFinished else { return }
        let end = self.pages.input.offset
        guard self.foundOpus else {
            if let other = self.otherCodec { throw AudioFileError(.otherCodec(other.name), at: other.offset) }
            throw AudioFileError(.notThisFormat, at: 0)
        }
        if self.state == .tags { throw AudioFileError(.missing("OpusTags"), at: end) }
    }

    private mutating func received(_ page: OggPage, at offset: Int) throws(AudioFileError) {
        if page.isFirst { return try self.streamBegan(page, at: offset) }
        guard self.state != .noStream, page.serial == self.packets.serial else {
            return self.passOver(page, at: offset)
        }
        if !self.packets.add(page) {
            self.clock.soundWasLost()
            self.events.add(.damage(at: offset))
        }
        guard !self.packets.isTooLarge else { throw AudioFileError(.tooLarge, at: offset) }
        switch self.state {
        case .tags: try self.readTags(at: offset)
        case .sound: try self.readSound(page, at: offset)
        case .noStream: break
        }
        if page.isLast { self.state = .noStream }
    }

    /// Sound of a stream whose beginning is missing, or of another stream beside ours.
    private mutating func passOver(_ page: OggPage, at offset: Int) {
        if self.otherCodec == nil, !self.foundOpus { self.otherCodec = ("a stream without its beginning", offset) }
    }

    private mutating func streamBegan(_ page: OggPage, at offset: Int) throws(AudioFileError) {
        guard page.body.starts(with: OpusHead.magic) else {
            if self.otherCodec == nil { self.otherCodec = (Self.codecName(page.body), offset) }
            return
        }
        // A second Opus stream beside ours is not chained but multiplexed: the first one is read.
        guard self.state != .tags else { return }
        let head = try OpusHead(parsing: page.body, at: offset + OggPage.headerSize + page.lacing.count)
        self.packets = OggPacketAssembler(serial: page.serial, after: page.sequence)
        self.clock = GranuleClock(preSkip: head.preSkip)
        self.state = .tags
        self.foundOpus = true
        self.events.add(.head(head))
    }

    private mutating func readTags(at offset: Int) throws(AudioFileError) {
        guard let packet = self.packets.take() else { return }
        self.events.add(.tags(try OpusTags(parsing: packet, at: offset)))
        self.packets.limit = OggPacketAssembler.maximumSoundPacketBytes
        self.state = .sound
    }

    private mutating func readSound(_ page: OggPage, at offset: Int) throws(AudioFileError) {
        var bodies: [[UInt8]] = []
        var durations: [Int] = []
        while let packet = self.packets.take() {
            guard let duration = OpusPacket.duration(of: packet.span) else {
                // One bad packet does not spoil its neighbours; the clock tells how long it was.
                self.events.add(.damage(at: offset))
                self.clock.soundWasLost()
                continue
            }
            bodies.append(packet)
            durations.append(duration)
        }
        let ruling = try self.clock.advance(
            by: durations, to: page.granule, isLast: page.isLast, at: offset, budget: &self.gaps)
        if ruling.contradicts { self.events.add(.damage(at: offset)) }
        if ruling.gap > 0 { self.events.add(.gap(ruling.gap)) }
        for (index, heard) in ruling.heard.enumerated() {
            let (bytes, duration) = (bodies[index], durations[index])
            self.events.add(.packet(OpusFilePacket(bytes: bytes, duration: duration, heard: heard, offset: offset)))
        }
    }

    private static func codecName(_ body: [UInt8]) -> String {
        let known: [(magic: String, name: String)] = [
            ("\u{1}vorbis", "Vorbis"), ("\u{7F}FLAC", "FLAC"), ("Speex", "Speex"), ("\u{80}theora", "Theora"),
        ]
        return known.first { body.starts(with: $0.magic.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }?
            .name
            ?? "an unknown codec"
    }
}
