import AudioFiles
import TestSupport

/// Small Ogg Opus files, and what readers make of them.
enum OggBuilder {
    static let head = OpusHead(channels: 1, preSkip: 312, inputRate: 16_000)
    static let tags = OpusTags(vendor: "test", comments: ["TITLE=Hallo"])

    /// Packets of 20 ms: a TOC byte of CELT, and something after it.
    static func packets(_ count: Int, seed: UInt64 = 1) -> [[UInt8]] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in [0xF8] + random.bytes(Int.random(in: 10...300, using: &random)) }
    }

    static func file(_ packets: [[UInt8]], endingAt granule: Int64? = nil, serial: UInt32 = 7) throws -> [UInt8] {
        var writer = OggOpusWriter(head: self.head, tags: self.tags, serial: serial)
        var output: [UInt8] = []
        writer.start(into: &output)
        for packet in packets { try writer.add(packet.span, duration: 960, into: &output) }
        writer.finish(endingAt: granule, into: &output)
        return output
    }

    static func pages(of file: [UInt8]) -> [OggPage] {
        var reader = OggPageReader()
        reader.append(file.span)
        reader.finish()
        var pages: [OggPage] = []
        while let event = reader.next() {
            if case .page(let page, _) = event { pages.append(page) }
        }
        return pages
    }

    static func bytes(of pages: [OggPage]) -> [UInt8] {
        var bytes: [UInt8] = []
        for page in pages { page.write(to: &bytes) }
        return bytes
    }

    /// All events of a file that is fed in pieces of `step` bytes.
    static func events(
        in file: [UInt8], by step: Int = 4096, reader: any OpusFileReader = OggOpusReader()
    ) throws -> [OpusFileEvent] {
        var reader = reader
        var events: [OpusFileEvent] = []
        for start in stride(from: 0, to: file.count, by: step) {
            reader.append(file.span.extracting(start..<min(start + step, file.count)))
            while let event = try reader.next() { events.append(event) }
        }
        reader.finish()
        while let event = try reader.next() { events.append(event) }
        return events
    }
}

extension [OpusFileEvent] {
    var packets: [OpusFilePacket] {
        self.compactMap {
            guard case .packet(let packet) = $0 else { return nil }
            return packet
        }
    }

    var heard: Int { self.packets.reduce(0) { $0 + $1.heard.count } }
    var damage: [Int] {
        self.compactMap {
            guard case .damage(let offset) = $0 else { return nil }
            return offset
        }
    }

    var gaps: [Int] {
        self.compactMap {
            guard case .gap(let samples) = $0 else { return nil }
            return samples
        }
    }
}
