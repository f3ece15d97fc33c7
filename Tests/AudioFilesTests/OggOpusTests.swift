import AudioFiles
import TestSupport
import Testing

@Suite("An Ogg Opus file")
struct OggOpusTests {
    @Test("comes back packet by packet, however its bytes arrive", arguments: [1, 7, 255, 4096])
    func roundTrip(step: Int) throws {
        let packets = OggBuilder.packets(120)
        let events = try OggBuilder.events(in: try OggBuilder.file(packets), by: step)
        #expect(events.first == .head(OggBuilder.head))
        #expect(events.dropFirst().first == .tags(OggBuilder.tags))
        #expect(events.packets.map(\.bytes) == packets)
        #expect(events.heard == 120 * 960 - 312)
        #expect(events.damage.isEmpty)
    }

    @Test("has pages of a second at most, numbered, with the head and the tags alone on theirs (RFC 7845 §3)")
    func pages() throws {
        let pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(175)))
        #expect(pages.map(\.sequence) == Array(0..<UInt32(pages.count)))
        #expect(pages.map(\.isFirst) == [true] + Array(repeating: false, count: pages.count - 1))
        #expect(pages.map(\.isLast) == Array(repeating: false, count: pages.count - 1) + [true])
        #expect(pages.map(\.granule) == [0, 0, 48_000, 96_000, 144_000, 168_000])
        #expect(pages[0].body == OggBuilder.head.bytes && pages[1].body == OggBuilder.tags.bytes)
    }

    @Test("ends at the sample its last page names", arguments: [0, 1, 311, 312, 313, 479, 959, 960])
    func endTrim(samples: Int) throws {
        let end = Int64(99 * 960 + samples)
        let events = try OggBuilder.events(in: try OggBuilder.file(OggBuilder.packets(100), endingAt: end))
        #expect(events.heard == Int(end) - 312)
    }

    @Test("trims the end across several packets of its last page")
    func longTrim() throws {
        var pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(60)))
        pages[3].granule = 48_000 + 1000
        let events = try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        #expect(events.heard == 49_000 - 312)
        #expect(events.packets.suffix(10).map(\.heard.count) == [960, 40, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("spreads tags over as many pages as they need")
    func longTags() throws {
        let tags = OpusTags(vendor: "v", comments: ["PICTURE=" + String(repeating: "x", count: 200_000)])
        var writer = OggOpusWriter(head: OggBuilder.head, tags: tags, serial: 1)
        var output: [UInt8] = []
        writer.start(into: &output)
        try writer.add([0xF8, 1].span, duration: 960, into: &output)
        writer.finish(into: &output)
        #expect(OggBuilder.pages(of: output).map(\.isContinued) == [false, false, true, true, true, false])
        #expect(try OggBuilder.events(in: output)[1] == .tags(tags))
    }

    @Test("with a lost page tells where, how much is missing, and keeps the rest in its place")
    func lostPage() throws {
        let packets = OggBuilder.packets(200)
        var pages = OggBuilder.pages(of: try OggBuilder.file(packets))
        pages.remove(at: 3)
        let events = try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        #expect(events.packets.map(\.bytes) == Array(packets[..<50] + packets[100...]))
        #expect(events.gaps == [48_000])
        #expect(events.damage.count == 1)
    }

    @Test("cannot claim hour after hour of missing sound")
    func claims() throws {
        var pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(2000)))
        for index in 2..<pages.count { pages[index].granule = Int64(index) * 50 * 48_000 }
        let events = try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        #expect(events.gaps.count == 12 && events.gaps.reduce(0, +) <= 600 * 48_000)
        #expect(events.packets.count == 2000 && events.damage.count == pages.count - 3)
    }

    @Test("full of false beginnings is given up in time")
    func falseBeginnings() throws {
        let start = OggPage(granule: 0, serial: 1, sequence: 1, lacing: [], body: [])
        var bait = OggBuilder.bytes(of: [start])
        bait[26] = 255
        let file = try OggBuilder.file(OggBuilder.packets(60))
        let beginning = Array(file[..<OggBuilder.pages(of: file)[0...1].reduce(0) { $0 + $1.size }])
        let baits = Array(repeating: bait, count: 20_000).flatMap(\.self)
        let events = try OggBuilder.events(in: beginning + baits + file.dropFirst(beginning.count), by: 1 << 16)
        #expect(events.damage == [beginning.count] && events.packets.isEmpty)
    }

    @Test("with a broken byte loses that page and no other")
    func brokenByte() throws {
        let packets = OggBuilder.packets(200)
        var file = try OggBuilder.file(packets)
        let pages = OggBuilder.pages(of: file)
        file[pages[0].size + pages[1].size + pages[2].size + 500] ^= 1
        let events = try OggBuilder.events(in: file)
        #expect(events.packets.map(\.bytes) == Array(packets[..<50] + packets[100...]))
        #expect(events.damage.first == pages[0].size + pages[1].size + pages[2].size)
    }

    @Test("may be chained: each stream begins with its own head and pre-skip")
    func chained() throws {
        let first = try OggBuilder.file(OggBuilder.packets(30), serial: 1)
        let second = try OggBuilder.file(OggBuilder.packets(20, seed: 2), serial: 2)
        let events = try OggBuilder.events(in: first + second)
        #expect(events.filter { $0 == .head(OggBuilder.head) }.count == 2)
        #expect(events.heard == 50 * 960 - 2 * 312)
        #expect(events.damage.isEmpty)
    }

    @Test("may stand beside another stream, whose pages are passed over")
    func multiplexed() throws {
        var pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(120)))
        var other = OggPage(granule: 0, serial: 99, sequence: 0, lacing: [7], body: Array("\u{1}vorbis".utf8))
        other.isFirst = true
        var more = OggPage(granule: 1, serial: 99, sequence: 1, lacing: [3], body: [1, 2, 3])
        pages.insert(other, at: 0)
        pages.insert(more, at: 4)
        more.sequence = 2
        pages.insert(more, at: 5)
        let events = try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        #expect(events.packets.count == 120 && events.damage.isEmpty)
    }

    @Test("may start late, as a recording cut out of a stream does")
    func startsLate() throws {
        var pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(120)))
        for index in 2..<pages.count { pages[index].granule += 1_000_000 }
        let events = try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        #expect(events.heard == 120 * 960 - 312 && events.gaps.isEmpty && events.damage.isEmpty)
    }

    @Test("cannot start before zero (RFC 7845 §4.3)")
    func startsBeforeZero() throws {
        var pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(120)))
        pages[2].granule = 47_000
        let offset = pages[0].size + pages[1].size
        #expect(throws: AudioFileError(.wrongTime, at: offset)) {
            try OggBuilder.events(in: OggBuilder.bytes(of: pages))
        }
    }

    @Test("of another codec is refused by name", arguments: [("\u{1}vorbis", "Vorbis"), ("Speex   ", "Speex")])
    func otherCodec(magic: String, name: String) throws {
        let body = Array(magic.utf8)
        var page = OggPage(granule: 0, serial: 1, sequence: 0, lacing: [UInt8(body.count)], body: body)
        page.isFirst = true
        let expected = AudioFileError(.otherCodec(name), at: 0)
        #expect(throws: expected) { try OggBuilder.events(in: OggBuilder.bytes(of: [page])) }
    }

    @Test("that is none, or has no tags, is refused")
    func refused() throws {
        #expect(throws: AudioFileError(.notThisFormat, at: 0)) { try OggBuilder.events(in: []) }
        #expect(throws: AudioFileError(.notThisFormat, at: 0)) { try OggBuilder.events(in: Array("OggX".utf8)) }
        let pages = OggBuilder.pages(of: try OggBuilder.file(OggBuilder.packets(2)))
        let headOnly = OggBuilder.bytes(of: [pages[0]])
        #expect(throws: AudioFileError(.missing("OpusTags"), at: headOnly.count)) {
            try OggBuilder.events(in: headOnly)
        }
        let noTags = OggBuilder.bytes(of: [pages[0], pages[2]])
        #expect(throws: AudioFileError.self) { try OggBuilder.events(in: noTags) }
    }

    @Test("cut at any byte gives the pages before the cut, and no error but a missing beginning")
    func cut() throws {
        let file = try OggBuilder.file(OggBuilder.packets(60))
        let whole = try OggBuilder.events(in: file).packets.map(\.bytes)
        for end in stride(from: 0, to: file.count, by: 1) {
            do {
                let events = try OggBuilder.events(in: Array(file[..<end]), by: 1 << 16)
                #expect(whole.starts(with: events.packets.map(\.bytes)))
            } catch let error as AudioFileError {
                #expect(error.offset <= end)
            }
        }
    }

    @Test("with any bytes changed is read or refused, and never stops the program")
    func fuzz() throws {
        var random = SeededRandom(seed: 7845)
        let file = try OggBuilder.file(OggBuilder.packets(60)) + OggBuilder.file(OggBuilder.packets(10), serial: 3)
        for round in 0..<1500 {
            var mutated = file
            for _ in 0...Int.random(in: 0..<20, using: &random) {
                mutated[Int.random(in: mutated.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            // Every other time the checksums are put right, so that the damage reaches the packets.
            if round.isMultiple(of: 2) { mutated = OggBuilder.bytes(of: Self.withoutChecksums(mutated)) }
            guard let events = try? OggBuilder.events(in: mutated, by: 1000) else { continue }
            for packet in events.packets {
                #expect(packet.heard.lowerBound >= 0 && packet.heard.upperBound <= packet.duration)
            }
        }
    }

    /// The pages of a file, right or wrong, as far as their headers can be followed.
    private static func withoutChecksums(_ file: [UInt8]) -> [OggPage] {
        var pages: [OggPage] = []
        var position = 0
        while position + OggPage.headerSize <= file.count {
            let lacing = Array(file[(position + 27)...].prefix(Int(file[position + 26])))
            let start = position + 27 + lacing.count
            let size = lacing.reduce(0) { $0 + Int($1) }
            guard start + size <= file.count else { break }
            let number = { (at: Int, count: Int) in
                (0..<count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(file[position + at + $1]) }
            }
            var page = OggPage(
                granule: Int64(bitPattern: number(6, 8)), serial: UInt32(number(14, 4)),
                sequence: UInt32(number(18, 4)),
                lacing: lacing, body: Array(file[start..<(start + size)]))
            page.isContinued = file[position + 5] & 1 != 0
            page.isFirst = file[position + 5] & 2 != 0
            page.isLast = file[position + 5] & 4 != 0
            pages.append(page)
            position = start + size
        }
        return pages
    }

    @Test(
        "being recorded fills a gap with packets that ask for concealment", arguments: [960, 48_000, 5760, 120, 1230])
    func gap(samples: Int) throws {
        var writer = OggOpusWriter(head: OggBuilder.head, tags: OggBuilder.tags, serial: 1)
        var output: [UInt8] = []
        writer.start(into: &output)
        try writer.add([0xF8, 1, 2].span, duration: 960, into: &output)
        let filled = try writer.addGap(samples, into: &output)
        try writer.add([0xF8, 3, 4].span, duration: 960, into: &output)
        writer.finish(into: &output)
        let events = try OggBuilder.events(in: output)
        #expect(filled == samples / 120 * 120)
        #expect(events.packets.reduce(0) { $0 + $1.duration } == filled + 1920)
        #expect(OggBuilder.pages(of: output).last?.granule == Int64(filled + 1920))
        #expect(events.damage.isEmpty)
    }

    @Test("being recorded can be flushed at any time and is whole up to there")
    func flush() throws {
        var writer = OggOpusWriter(head: OggBuilder.head, tags: OggBuilder.tags, serial: 1)
        var output: [UInt8] = []
        writer.start(into: &output)
        for packet in OggBuilder.packets(10) { try writer.add(packet.span, duration: 960, into: &output) }
        writer.flush(into: &output)
        #expect(try OggBuilder.events(in: output).packets.count == 10)
        writer.finish(into: &output)
        #expect(OggBuilder.pages(of: output).last?.isLast == true)
        #expect(try OggBuilder.events(in: output).packets.count == 10)
    }
}
