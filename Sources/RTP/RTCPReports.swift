package import Bytes

/// What a sender says about itself (RFC 3550 §6.4.1).
package struct RTCPSenderInfo: Hashable, Sendable {
    package var time: NTPTime
    /// The same moment in the clock of the media.
    package var timestamp: UInt32
    package var packets: UInt32
    /// Of payload, without headers.
    package var octets: UInt32

    package init(time: NTPTime, timestamp: UInt32, packets: UInt32, octets: UInt32) {
        self.time = time
        self.timestamp = timestamp
        self.packets = packets
        self.octets = octets
    }
}

/// What a receiver says about one sender (RFC 3550 §6.4.1).
package struct RTCPReport: Hashable, Sendable {
    package static let length = 24

    package var ssrc: UInt32
    /// Since the last report, in 1/256.
    package var fractionLost: UInt8
    /// Since the beginning. 24 bits with a sign: doubled packets count as found.
    package var lost: Int32
    /// The highest sequence number, with its turns around the circle above it.
    package var highestSequence: UInt32
    /// In the clock of the media.
    package var jitter: UInt32
    /// The middle of the last report's time; 0 when there was none.
    package var lastReport: UInt32
    package var sinceLastReport: NTPInterval

    package init(
        ssrc: UInt32, fractionLost: UInt8, lost: Int32, highestSequence: UInt32, jitter: UInt32,
        lastReport: UInt32 = 0, sinceLastReport: NTPInterval = NTPInterval(rawValue: 0)
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.lost = min(max(lost, -0x80_0000), 0x7F_FFFF)
        self.highestSequence = highestSequence
        self.jitter = jitter
        self.lastReport = lastReport
        self.sinceLastReport = sinceLastReport
    }

    fileprivate init(_ bytes: Span<UInt8>, at offset: Int) {
        self.ssrc = bytes.bigEndian(at: offset)
        self.fractionLost = bytes[offset + 4]
        // The sign is the highest of 24 bits.
        self.lost = (bytes.bigEndian(at: offset + 4, as: Int32.self) << 8) >> 8
        self.highestSequence = bytes.bigEndian(at: offset + 8)
        self.jitter = bytes.bigEndian(at: offset + 12)
        self.lastReport = bytes.bigEndian(at: offset + 16)
        self.sinceLastReport = NTPInterval(rawValue: bytes.bigEndian(at: offset + 20))
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(self.ssrc)
        writer.write(UInt32(self.fractionLost) << 24 | UInt32(bitPattern: self.lost) & 0xFF_FFFF)
        writer.write(self.highestSequence)
        writer.write(self.jitter)
        writer.write(self.lastReport)
        writer.write(self.sinceLastReport.rawValue)
    }
}

/// What is said about a source (RFC 3550 §6.5).
package struct RTCPDescriptionItem: Hashable, Sendable {
    package static let canonicalName: UInt8 = 1

    package let ssrc: UInt32
    package let kind: UInt8
    /// Where the text lies in its packet.
    package let range: Range<Int>
}

extension RTCPPacket {
    package var senderInfo: RTCPSenderInfo? {
        guard self.type == .senderReport else { return nil }
        return RTCPSenderInfo(
            time: NTPTime(rawValue: self.bytes.bigEndian(at: 8)), timestamp: self.bytes.bigEndian(at: 16),
            packets: self.bytes.bigEndian(at: 20), octets: self.bytes.bigEndian(at: 24))
    }

    /// What sender and receiver reports say about others.
    package func forEachReport(_ body: (RTCPReport) -> Void) {
        guard self.type == .senderReport || self.type == .receiverReport else { return }
        let start = self.type == .senderReport ? 28 : 8
        for index in 0..<Int(self.count) { body(RTCPReport(self.bytes, at: start + RTCPReport.length * index)) }
    }

    package func forEachDescription(_ body: (RTCPDescriptionItem) -> Void) {
        guard self.type == .sourceDescription else { return }
        _ = self.walkDescriptions(body)
    }

    /// All sources that leave.
    package func forEachGoodbye(_ body: (UInt32) -> Void) {
        guard self.type == .goodbye else { return }
        for index in 0..<Int(self.count) { body(self.bytes.bigEndian(at: 4 + 4 * index)) }
    }

    var descriptionOffence: ByteError? { self.walkDescriptions { _ in } }

    private func walkDescriptions(_ body: (RTCPDescriptionItem) -> Void) -> ByteError? {
        var offset = 4
        for _ in 0..<self.count {
            if let offence = self.needs(offset + 8) { return offence }
            let ssrc: UInt32 = self.bytes.bigEndian(at: offset)
            offset += 4
            while offset < self.bytes.count, self.bytes[offset] != 0 {
                guard offset + 2 <= self.bytes.count else { return self.needs(offset + 2) }
                let end = offset + 2 + Int(self.bytes[offset + 1])
                if let offence = self.needs(end) { return offence }
                body(RTCPDescriptionItem(ssrc: ssrc, kind: self.bytes[offset], range: (offset + 2)..<end))
                offset = end
            }
            if let offence = self.needs(offset + 1) { return offence }
            // At least one zero, then up to the next word.
            offset = (offset + 4) & ~3
        }
        return nil
    }
}

/// Writes packets one behind the other.
package enum RTCPWriter {
    /// Up to 31 reports fit into one packet.
    package static func senderReport(
        _ ssrc: UInt32, _ info: RTCPSenderInfo, _ reports: [RTCPReport], to writer: inout ByteWriter
    ) {
        self.packet(.senderReport, UInt8(min(reports.count, 31)), to: &writer) { writer in
            writer.write(ssrc)
            writer.write(info.time.rawValue)
            writer.write(info.timestamp)
            writer.write(info.packets)
            writer.write(info.octets)
            for report in reports.prefix(31) { report.write(to: &writer) }
        }
    }

    package static func receiverReport(_ ssrc: UInt32, _ reports: [RTCPReport], to writer: inout ByteWriter) {
        self.packet(.receiverReport, UInt8(min(reports.count, 31)), to: &writer) { writer in
            writer.write(ssrc)
            for report in reports.prefix(31) { report.write(to: &writer) }
        }
    }

    /// The name by which all streams of one person are known (RFC 3550 §6.5.1), of up to 255 bytes.
    package static func canonicalName(_ name: String, of ssrc: UInt32, to writer: inout ByteWriter) {
        self.packet(.sourceDescription, 1, to: &writer) { writer in
            let text = name.utf8.prefix(255)
            writer.write(ssrc)
            writer.write(RTCPDescriptionItem.canonicalName)
            writer.write(UInt8(text.count))
            writer.write(contentsOf: text)
            writer.write(UInt8(0))
        }
    }

    package static func goodbye(_ sources: [UInt32], reason: String = "", to writer: inout ByteWriter) {
        self.packet(.goodbye, UInt8(min(sources.count, 31)), to: &writer) { writer in
            for source in sources.prefix(31) { writer.write(source) }
            let text = reason.utf8.prefix(255)
            guard !text.isEmpty else { return }
            writer.write(UInt8(text.count))
            writer.write(contentsOf: text)
        }
    }

    /// Writes the head, what `body` writes, zeros up to the next word, and then the length.
    static func packet(
        _ type: RTCPType, _ count: UInt8, to writer: inout ByteWriter, _ body: (inout ByteWriter) -> Void
    ) {
        let start = writer.count
        writer.write(0x80 | count)
        writer.write(type.rawValue)
        writer.write(UInt16(0))
        body(&writer)
        while !(writer.count - start).isMultiple(of: 4) { writer.write(UInt8(0)) }
        writer.overwrite(at: start + 2, with: UInt16(clamping: (writer.count - start) / 4 - 1))
    }
}
