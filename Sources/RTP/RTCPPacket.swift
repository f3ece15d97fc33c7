package import Bytes

/// What a packet of RTCP is (RFC 3550 §12.1, RFC 4585 §6.1, RFC 3611 §2).
package struct RTCPType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let senderReport = RTCPType(rawValue: 200)
    package static let receiverReport = RTCPType(rawValue: 201)
    package static let sourceDescription = RTCPType(rawValue: 202)
    package static let goodbye = RTCPType(rawValue: 203)
    package static let transportFeedback = RTCPType(rawValue: 205)
    package static let payloadFeedback = RTCPType(rawValue: 206)
    package static let extendedReport = RTCPType(rawValue: 207)
}

/// What feedback is about: the number where others count their parts.
package enum RTCPFeedbackFormat {
    package static let nack: UInt8 = 1
    package static let transportWide: UInt8 = 15
    package static let pictureLoss: UInt8 = 1
    package static let fullIntra: UInt8 = 4
    package static let application: UInt8 = 15
}

/// One packet of a datagram of RTCP where it lies, its form already proven.
package struct RTCPPacket: ~Escapable {
    package let type: RTCPType
    /// How many parts follow, or which kind of feedback.
    package let count: UInt8
    /// From its first byte to its last, without padding.
    package let bytes: Span<UInt8>

    @_lifetime(copy bytes)
    fileprivate init(type: RTCPType, count: UInt8, bytes: Span<UInt8>) {
        self.type = type
        self.count = count
        self.bytes = bytes
    }

    /// Whom the first number names: who sent it. Nil for those without any.
    package var ssrc: UInt32? { self.bytes.count >= 8 ? self.bytes.bigEndian(at: 4) : nil }

    func isFeedback(_ type: RTCPType, _ format: UInt8) -> Bool { self.type == type && self.count == format }
}

/// The packets of one datagram of RTCP (RFC 3550 §6.1), one after the other. What is there is proven to be whole.
package struct RTCPDatagram: ~Escapable {
    private let bytes: Span<UInt8>
    private var offset = 0

    /// - Parameter allowsReducedSize: also takes feedback without a report in front (RFC 5506), when that was agreed on.
    @_lifetime(copy bytes)
    package init(parsing bytes: Span<UInt8>, allowsReducedSize: Bool = true) throws(ByteError) {
        self.bytes = bytes
        guard bytes.count >= 4 else { throw ByteError(.truncated, at: bytes.count) }
        guard allowsReducedSize || bytes[1] == 200 || bytes[1] == 201 else {
            throw ByteError(.unexpected(bytes[1]), at: 1)
        }
        var offset = 0
        while offset < bytes.count {
            let end = try Self.end(of: bytes, from: offset)
            let packet = Self.packet(in: bytes, offset..<end)
            if let wrong = packet.firstOffence { throw ByteError(wrong.reason, at: offset + wrong.offset) }
            offset = end
        }
    }

    @_lifetime(copy self)
    package mutating func next() -> RTCPPacket? {
        guard self.offset < self.bytes.count else { return nil }
        let start = self.offset
        self.offset = start + Self.length(in: self.bytes, at: start)
        return Self.packet(in: self.bytes, start..<self.offset)
    }

    /// Tells RTCP from what else may come on a socket (RFC 5761 §4).
    package static func isPlausible(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 4 && bytes[0] >> 6 == 2 && (192...223).contains(bytes[1])
    }

    private static func length(in bytes: Span<UInt8>, at offset: Int) -> Int {
        4 + 4 * Int(bytes.bigEndian(at: offset + 2, as: UInt16.self))
    }

    private static func end(of bytes: Span<UInt8>, from offset: Int) throws(ByteError) -> Int {
        guard offset + 4 <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
        guard bytes[offset] >> 6 == 2 else { throw ByteError(.unexpected(bytes[offset]), at: offset) }
        guard (192...223).contains(bytes[offset + 1]) else {
            throw ByteError(.unexpected(bytes[offset + 1]), at: offset + 1)
        }
        let end = offset + self.length(in: bytes, at: offset)
        guard end <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
        guard bytes[offset] & 0x20 != 0 else { return end }
        // Only the last one is padded (RFC 3550 §6.4.1), and not by whole words alone: libwebrtc's feedback is not.
        let padding = Int(bytes[end - 1])
        guard end == bytes.count, padding > 0, padding <= end - offset - 4 else {
            throw ByteError(.outOfRange, at: end - 1)
        }
        return end
    }

    @_lifetime(copy bytes)
    private static func packet(in bytes: Span<UInt8>, _ range: Range<Int>) -> RTCPPacket {
        let first = bytes[range.lowerBound]
        let padding = first & 0x20 == 0 ? 0 : Int(bytes[range.upperBound - 1])
        return RTCPPacket(
            type: RTCPType(rawValue: bytes[range.lowerBound + 1]), count: first & 0x1F,
            bytes: bytes.extracting(range.lowerBound..<(range.upperBound - padding)))
    }
}

// MARK: - The form of each

extension RTCPPacket {
    /// Where a packet is not what its type promises; nil when all is well. Unknown types are always well.
    fileprivate var firstOffence: ByteError? {
        let count = Int(self.count)
        switch self.type {
        case .senderReport: return self.needs(28 + 24 * count)
        case .receiverReport: return self.needs(8 + 24 * count)
        case .sourceDescription: return self.descriptionOffence
        case .goodbye: return self.goodbyeOffence
        case .transportFeedback: return self.needs(12) ?? self.transportFeedbackOffence
        case .payloadFeedback: return self.needs(12) ?? self.payloadFeedbackOffence
        case .extendedReport: return self.needs(8) ?? self.extendedOffence
        default: return nil
        }
    }

    func needs(_ length: Int) -> ByteError? {
        length <= self.bytes.count ? nil : ByteError(.truncated, at: self.bytes.count)
    }

    private var goodbyeOffence: ByteError? {
        let end = 4 + 4 * Int(self.count)
        guard end < self.bytes.count else { return self.needs(end) }
        return self.needs(end + 1 + Int(self.bytes[end]))
    }

    private var transportFeedbackOffence: ByteError? {
        switch self.count {
        // What is left after padding of whatever length need not be whole words.
        case RTCPFeedbackFormat.nack where !self.bytes.count.isMultiple(of: 4):
            ByteError(.truncated, at: self.bytes.count)
        case RTCPFeedbackFormat.transportWide: self.transportWideOffence
        default: nil
        }
    }

    private var payloadFeedbackOffence: ByteError? {
        switch self.count {
        case RTCPFeedbackFormat.fullIntra:
            return (self.bytes.count - 12).isMultiple(of: 8) ? nil : ByteError(.truncated, at: self.bytes.count)
        case RTCPFeedbackFormat.application where self.isBandwidthEstimate:
            return self.needs(20) ?? self.needs(20 + 4 * Int(self.bytes[16]))
        default: return nil
        }
    }
}
