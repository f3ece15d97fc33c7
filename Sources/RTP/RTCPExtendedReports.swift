package import Bytes

// Extended reports (RFC 3611): what a receiver that never sends needs to measure the way, and how a call was.

/// When one's report was heard (RFC 3611 §4.5).
package struct RTCPReceiverTimeEcho: Hashable, Sendable {
    package let ssrc: UInt32
    /// The middle of its time.
    package let lastReport: UInt32
    package let sinceLastReport: NTPInterval

    package init(ssrc: UInt32, lastReport: UInt32, sinceLastReport: NTPInterval) {
        self.ssrc = ssrc
        self.lastReport = lastReport
        self.sinceLastReport = sinceLastReport
    }
}

/// How a call was to its listener (RFC 3611 §4.7).
package struct RTCPCallQuality: Hashable, Sendable {
    static let length = 36

    package var ssrc: UInt32
    /// Lost on the way and thrown away for being late, in 1/256.
    package var lossRate: UInt8 = 0
    package var discardRate: UInt8 = 0
    /// In 1/256 of the time of bursts and of the gaps between them.
    package var burstDensity: UInt8 = 0
    package var gapDensity: UInt8 = 0
    /// In milliseconds, as all times here.
    package var burstDuration: UInt16 = 0
    package var gapDuration: UInt16 = 0
    package var roundTrip: UInt16 = 0
    /// From the packet's arrival to the ear and from the mouth to its leaving.
    package var endSystemDelay: UInt16 = 0
    /// 0 to 100; 127 for those not measured.
    package var rating: UInt8 = 127
    /// Tenths of the five grades, for listening and for talking; 127 for those not measured.
    package var listeningGrade: UInt8 = 127
    package var talkingGrade: UInt8 = 127
    /// How far the buffer against jitter is from empty: now, at most so far, at most ever.
    package var bufferNominal: UInt16 = 0
    package var bufferMaximum: UInt16 = 0
    package var bufferLimit: UInt16 = 0

    package init(ssrc: UInt32) {
        self.ssrc = ssrc
    }

    fileprivate init(_ bytes: Span<UInt8>, at offset: Int) {
        self.ssrc = bytes.bigEndian(at: offset + 4)
        self.lossRate = bytes[offset + 8]
        self.discardRate = bytes[offset + 9]
        self.burstDensity = bytes[offset + 10]
        self.gapDensity = bytes[offset + 11]
        self.burstDuration = bytes.bigEndian(at: offset + 12)
        self.gapDuration = bytes.bigEndian(at: offset + 14)
        self.roundTrip = bytes.bigEndian(at: offset + 16)
        self.endSystemDelay = bytes.bigEndian(at: offset + 18)
        self.rating = bytes[offset + 24]
        self.listeningGrade = bytes[offset + 26]
        self.talkingGrade = bytes[offset + 27]
        self.bufferNominal = bytes.bigEndian(at: offset + 30)
        self.bufferMaximum = bytes.bigEndian(at: offset + 32)
        self.bufferLimit = bytes.bigEndian(at: offset + 34)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(self.ssrc)
        for share in [self.lossRate, self.discardRate, self.burstDensity, self.gapDensity] { writer.write(share) }
        writer.write(self.burstDuration)
        writer.write(self.gapDuration)
        writer.write(self.roundTrip)
        writer.write(self.endSystemDelay)
        // Levels of signal, noise and echo are not measured (127), 16 is the usual length of a gap.
        for byte: UInt8 in [127, 127, 127, 16] { writer.write(byte) }
        for grade in [self.rating, 127, self.listeningGrade, self.talkingGrade] { writer.write(grade) }
        // Sound is made up well, and the buffer adapts.
        writer.write(UInt16(0xB000))
        writer.write(self.bufferNominal)
        writer.write(self.bufferMaximum)
        writer.write(self.bufferLimit)
    }
}

private enum RTCPBlockType {
    static let receiverTime: UInt8 = 4
    static let receiverTimeEcho: UInt8 = 5
    static let callQuality: UInt8 = 7
}

extension RTCPPacket {
    /// When the report was sent, from a receiver, which has no sender reports to say it in.
    package var receiverTime: NTPTime? {
        var time: NTPTime?
        self.forEachBlock { type, range in
            if type == RTCPBlockType.receiverTime {
                time = NTPTime(rawValue: self.bytes.bigEndian(at: range.lowerBound + 4))
            }
        }
        return time
    }

    package func forEachTimeEcho(_ body: (RTCPReceiverTimeEcho) -> Void) {
        self.forEachBlock { type, range in
            guard type == RTCPBlockType.receiverTimeEcho else { return }
            for offset in stride(from: range.lowerBound + 4, to: range.upperBound, by: 12) {
                body(
                    RTCPReceiverTimeEcho(
                        ssrc: self.bytes.bigEndian(at: offset), lastReport: self.bytes.bigEndian(at: offset + 4),
                        sinceLastReport: NTPInterval(rawValue: self.bytes.bigEndian(at: offset + 8))))
            }
        }
    }

    package func forEachCallQuality(_ body: (RTCPCallQuality) -> Void) {
        self.forEachBlock { type, range in
            if type == RTCPBlockType.callQuality { body(RTCPCallQuality(self.bytes, at: range.lowerBound)) }
        }
    }

    private func forEachBlock(_ body: (UInt8, Range<Int>) -> Void) {
        guard self.type == .extendedReport else { return }
        var offset = 8
        while offset < self.bytes.count {
            let range = offset..<(offset + 4 + 4 * Int(self.bytes.bigEndian(at: offset + 2, as: UInt16.self)))
            body(self.bytes[offset], range)
            offset = range.upperBound
        }
    }

    /// Every block has to be whole, and those that are read as long as they should be.
    var extendedOffence: ByteError? {
        var offset = 8
        while offset < self.bytes.count {
            if let offence = self.needs(offset + 4) { return offence }
            let length = 4 + 4 * Int(self.bytes.bigEndian(at: offset + 2, as: UInt16.self))
            if let offence = self.needs(offset + length) { return offence }
            let isRight =
                switch self.bytes[offset] {
                case RTCPBlockType.receiverTime: length == 12
                case RTCPBlockType.receiverTimeEcho: (length - 4).isMultiple(of: 12)
                case RTCPBlockType.callQuality: length == RTCPCallQuality.length
                default: true
                }
            guard isRight else { return ByteError(.outOfRange, at: offset + 2) }
            offset += length
        }
        return nil
    }
}

extension RTCPWriter {
    /// An extended report with whatever there is to say.
    package static func extendedReport(
        from ssrc: UInt32, time: NTPTime? = nil, echoes: [RTCPReceiverTimeEcho] = [],
        quality: [RTCPCallQuality] = [], to writer: inout ByteWriter
    ) {
        self.packet(.extendedReport, 0, to: &writer) { writer in
            writer.write(ssrc)
            if let time {
                self.block(RTCPBlockType.receiverTime, words: 2, to: &writer)
                writer.write(time.rawValue)
            }
            if !echoes.isEmpty { self.block(RTCPBlockType.receiverTimeEcho, words: 3 * echoes.count, to: &writer) }
            for echo in echoes {
                writer.write(echo.ssrc)
                writer.write(echo.lastReport)
                writer.write(echo.sinceLastReport.rawValue)
            }
            for quality in quality {
                self.block(RTCPBlockType.callQuality, words: 8, to: &writer)
                quality.write(to: &writer)
            }
        }
    }

    private static func block(_ type: UInt8, words: Int, to writer: inout ByteWriter) {
        writer.write(type)
        writer.write(UInt8(0))
        writer.write(UInt16(clamping: words))
    }
}
