import AudioFiles

/// What any reader of Opus files has to hold to.
enum OpusFileFuzz {
    /// Everything a reader says of the pieces, and the error it ended with.
    static func transcript(_ pieces: [[UInt8]], _ reader: any OpusFileReader) -> [String] {
        var reader = reader
        var said: [String] = []
        do {
            for piece in pieces {
                reader.append(piece.span)
                while let event = try reader.next() { said.append(self.checked(event)) }
            }
            reader.finish()
            while let event = try reader.next() { said.append(self.checked(event)) }
        } catch {
            said.append("\(error)")
        }
        return said
    }

    private static func checked(_ event: OpusFileEvent) -> String {
        switch event {
        case .head(let head): demand((try? OpusHead(parsing: head.bytes, at: 0)) == head, "a head changed")
        case .gap(let samples): demand((1...2_880_000).contains(samples), "a gap of \(samples)")
        case .packet(let packet):
            demand((1...5760).contains(packet.duration), "a packet of \(packet.duration)")
            demand(packet.heard.lowerBound >= 0 && packet.heard.upperBound <= packet.duration, "heard \(packet.heard)")
            self.join(packet.bytes)
        case .tags, .damage: break
        }
        return "\(event)"
    }

    /// What can be cut into frames can be joined, and has the same frames afterwards.
    private static func join(_ packet: [UInt8]) {
        var before: [Range<Int>] = []
        var joiner = OpusPacketJoiner()
        guard (try? OpusPacket.findFrames(of: packet.span, into: &before)) != nil else { return }
        guard (try? joiner.add(packet.span)) == true else { return demand(false, "a sound packet was not taken") }
        var joined: [UInt8] = []
        var after: [Range<Int>] = []
        joiner.take(into: &joined, keepingSize: packet.count.isMultiple(of: 2))
        demand((try? OpusPacket.findFrames(of: joined.span, into: &after)) != nil, "a joined packet is none")
        demand(before.map { packet[$0] }.elementsEqual(after.map { joined[$0] }), "frames changed")
    }
}

/// Whatever comes, the reader of Ogg Opus neither traps nor changes its mind with the cuts.
enum OggOpusFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        // A fuzzer never guesses a checksum: half of the inputs have theirs put right.
        let bytes = input.control & 64 == 0 ? input.bytes : self.withRightChecksums(input.bytes)
        let right = FuzzInput(bytes + [input.control])
        let whole = OpusFileFuzz.transcript(right.pieces(of: 0), OggOpusReader())
        let cut = OpusFileFuzz.transcript(right.pieces(of: Int(input.control & 63) + 1), OggOpusReader())
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
    }

    private static func withRightChecksums(_ input: [UInt8]) -> [UInt8] {
        var bytes = input
        var start = 0
        while start + OggPage.headerSize <= bytes.count {
            guard bytes[start...].starts(with: OggPage.magic) else {
                start += 1
                continue
            }
            let lacing = Int(bytes[start + 26])
            guard start + OggPage.headerSize + lacing <= bytes.count else { return bytes }
            let body = (0..<lacing).reduce(0) { $0 + Int(bytes[start + OggPage.headerSize + $1]) }
            let end = start + OggPage.headerSize + lacing + body
            guard end <= bytes.count else { return bytes }
            OggPage.writeChecksum(into: &bytes, from: start, to: end)
            start = end
        }
        return bytes
    }
}

/// Whatever comes, the reader of WebM neither traps nor changes its mind with the cuts.
enum WebMFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = OpusFileFuzz.transcript(input.pieces(of: 0), WebMOpusReader())
        let cut = OpusFileFuzz.transcript(input.pieces(of: Int(input.control & 63) + 1), WebMOpusReader())
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
    }
}
