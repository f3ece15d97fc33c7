package import AudioFiles

/// Writes the packets of one Opus file into a new one, the sound untouched.
package struct OpusRemuxer {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A second stream begins, and one file cannot hold both as one sound.
        case chained

        package var description: String { "it holds several recordings, one after the other" }
    }

    private let preSkip: Int
    private let framesPerPacket: Int
    private let limit: Int64?
    private var writer: OggOpusWriter
    private var joiner = OpusPacketJoiner()
    private var packet: [UInt8] = []
    /// The time of all packets so far, those in the joiner among them.
    private var position: Int64 = 0
    /// Where the sound ends, pre-skip included.
    private var end: Int64 = 0
    /// Nothing after this is wanted.
    package private(set) var isFull = false
    /// What has been written and not yet taken away.
    package var output: [UInt8] = []

    /// `limit` is the longest duration, in samples at 48 kHz.
    package init(
        head: OpusHead, tags: OpusTags, framesPerPacket: Int, limit: Int?, serial: UInt32 = .random(in: .min ... .max)
    ) {
        self.preSkip = head.preSkip
        self.framesPerPacket = framesPerPacket
        self.limit = limit.map { Int64($0) + Int64(head.preSkip) }
        self.writer = OggOpusWriter(head: head, tags: tags, serial: serial)
        self.writer.start(into: &self.output)
    }

    /// Samples at 48 kHz that a player will give out.
    package var duration: Int { Int(max(0, self.end - Int64(self.preSkip))) }

    package mutating func add(_ event: OpusFileEvent) throws {
        guard !self.isFull else { return }
        switch event {
        case .packet(let packet): try self.add(packet)
        case .gap(let samples):
            try self.endPacket()
            self.position += Int64(try self.writer.addGap(samples, into: &self.output))
            self.end = self.position
        case .head: throw Failure.chained
        case .tags, .damage: break
        }
    }

    private mutating func add(_ packet: OpusFilePacket) throws {
        // What the end trim leaves nothing of is not carried along; a pre-skipped packet is.
        guard packet.heard.upperBound > 0 else { return }
        let start = self.position
        self.position += Int64(packet.duration)
        self.end = start + Int64(packet.heard.upperBound)
        if let limit = self.limit, self.end >= limit {
            self.end = limit
            self.isFull = true
        }
        try self.write(packet)
    }

    private mutating func write(_ packet: OpusFilePacket) throws {
        let frame = OpusPacket.frameDuration(of: packet.bytes[0])
        let wanted = frame * self.framesPerPacket
        // Packets that are long enough already stay as they are, down to the byte, unless they are
        // short of the form every player takes.
        guard self.framesPerPacket > 1, packet.duration <= wanted, wanted <= OpusPacket.maximumDuration else {
            try self.endPacket()
            return try self.writer.add(packet.bytes.span, duration: packet.duration, into: &self.output)
        }
        if try !self.joiner.add(packet.bytes.span) {
            try self.endPacket()
            _ = try self.joiner.add(packet.bytes.span)
        }
        if self.joiner.duration >= wanted { try self.endPacket() }
    }

    private mutating func endPacket() throws {
        guard !self.joiner.isEmpty else { return }
        let duration = self.joiner.duration
        self.joiner.take(into: &self.packet)
        let packet = self.packet
        try self.writer.add(packet.span, duration: duration, into: &self.output)
    }

    package mutating func finish() throws {
        guard self.duration > 0 else { throw VoiceEncoder.Failure.noSound }
        try self.endPacket()
        self.writer.finish(endingAt: self.end, into: &self.output)
    }
}
