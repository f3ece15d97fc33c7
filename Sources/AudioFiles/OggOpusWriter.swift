internal import Bytes

/// Writes an Ogg Opus file (RFC 7845), packet by packet.
///
/// Pages last at most a second and hold whole packets. The newest page is kept back until the next one
/// begins, because only the end of the recording tells which page is the last; so after a crash the
/// file is whole up to the last second.
package struct OggOpusWriter: Sendable {
    /// RFC 7845 §6 recommends one second, so that a player can seek and a stream can start.
    package static let maximumPageSamples = OpusPacket.clockRate

    private let head: OpusHead
    private let tags: OpusTags
    private let serial: UInt32
    private var sequence: UInt32 = 0
    /// The end of all packets added so far, in samples at 48 kHz, pre-skip included.
    package private(set) var granule: Int64 = 0
    private var page: OggPage
    private var pageDuration = 0
    /// The first byte of the last packet: what fills a gap has to look like its neighbour.
    private var lastTOC: UInt8 = 0x78

    package init(head: OpusHead, tags: OpusTags, serial: UInt32) {
        self.head = head
        self.tags = tags
        self.serial = serial
        self.page = OggPage(granule: -1, serial: serial, sequence: 0, lacing: [], body: [])
    }

    /// The two header packets, each beginning a page of its own (RFC 7845 §3).
    package mutating func start(into output: inout [UInt8]) {
        var first = self.emptyPage()
        first.isFirst = true
        first.granule = 0
        first.lacing = [UInt8(self.head.bytes.count)]
        first.body = self.head.bytes
        first.write(to: &output)
        self.writeTags(into: &output)
        self.page = self.emptyPage()
    }

    /// The tags may be larger than a page holds.
    private mutating func writeTags(into output: inout [UInt8]) {
        let packet = self.tags.bytes
        var lacing = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
        var rest = packet[...]
        var isContinued = false
        while !lacing.isEmpty {
            var page = self.emptyPage()
            page.isContinued = isContinued
            page.lacing = Array(lacing.prefix(255))
            lacing.removeFirst(page.lacing.count)
            page.body = Array(rest.prefix(page.lacing.reduce(0) { $0 + Int($1) }))
            rest = rest.dropFirst(page.body.count)
            page.granule = lacing.isEmpty ? 0 : -1
            page.write(to: &output)
            isContinued = true
        }
    }

    /// Adds a packet of `duration` samples at 48 kHz.
    package mutating func add(
        _ packet: Span<UInt8>, duration: Int, into output: inout [UInt8]
    ) throws(AudioFileError) {
        let segments = packet.count / 255 + 1
        guard segments <= 255 else { throw AudioFileError(.tooLarge, at: 0) }
        let isFull = self.pageDuration + duration > Self.maximumPageSamples || self.page.lacing.count + segments > 255
        if isFull, self.pageDuration > 0 { self.endPage(into: &output) }
        for _ in 1..<segments { self.page.lacing.append(255) }
        self.page.lacing.append(UInt8(packet.count % 255))
        self.page.body.append(copying: packet)
        self.granule += Int64(duration)
        self.page.granule = self.granule
        self.pageDuration += duration
        if packet.count > 0 { self.lastTOC = packet[0] }
    }

    /// Fills missing time with packets that ask the decoder to conceal (RFC 7845 §4.1). What is left
    /// over below 2.5 ms is dropped; the number of samples filled is returned.
    package mutating func addGap(_ samples: Int, into output: inout [UInt8]) throws(AudioFileError) -> Int {
        var left = samples
        for toc in [
            self.lastTOC & ~3, Self.concealingTOC(240, like: self.lastTOC), Self.concealingTOC(120, like: self.lastTOC),
        ] {
            let frame = OpusPacket.frameDuration(of: toc)
            while left >= frame {
                let count = min(left / frame, OpusPacket.maximumDuration / frame, 48)
                // Code 3, frames of equal size, and that size is zero.
                let packet: [UInt8] = [toc | 3, UInt8(count)]
                try self.add(packet.span, duration: count * frame, into: &output)
                left -= count * frame
            }
        }
        return samples - left
    }

    /// A short CELT frame; below ten milliseconds no other mode has any.
    private static func concealingTOC(_ frame: Int, like toc: UInt8) -> UInt8 {
        (frame == 120 ? 28 : 29) << 3 | (toc & 0b100)
    }

    /// Writes what is here already, but for the last packet, without waiting for a full page.
    package mutating func flush(into output: inout [UInt8]) {
        guard self.pageDuration > 0 else { return }
        self.endPage(into: &output)
    }

    /// Ends the file. `granule` trims the end: nothing after it is heard.
    package mutating func finish(endingAt granule: Int64? = nil, into output: inout [UInt8]) {
        self.page.isLast = true
        let start = self.granule - Int64(self.pageDuration)
        self.page.granule = max(start, min(granule ?? self.granule, self.granule))
        self.endPage(into: &output)
    }

    private mutating func endPage(into output: inout [UInt8]) {
        self.page.write(to: &output)
        self.page = self.emptyPage()
        self.pageDuration = 0
    }

    private mutating func emptyPage() -> OggPage {
        defer { self.sequence &+= 1 }
        return OggPage(granule: -1, serial: self.serial, sequence: self.sequence, lacing: [], body: [])
    }
}
