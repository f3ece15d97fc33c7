package import MediaStreams

/// A codec whose packets are passed through: all that has to be known of it is where pictures begin that need no other.
package enum VideoCodec: Hashable, Sendable, CaseIterable {
    case vp8
    /// With packetization mode 1: pictures in pieces, and several small units in one packet.
    case h264

    /// A packet with which a decoder that knows nothing can begin.
    package func startsKeyFrame(_ payload: Span<UInt8>) -> Bool {
        switch self {
        case .vp8: VP8Payload.startsKeyFrame(payload)
        case .h264: H264Payload.startsKeyFrame(payload)
        }
    }
}

/// A codec under the number that its packets carry.
package struct VideoPayloadType: Hashable, Sendable {
    package let payloadType: UInt8
    package let codec: VideoCodec

    package init(_ payloadType: UInt8, _ codec: VideoCodec) {
        self.payloadType = payloadType
        self.codec = codec
    }
}

extension MediaClock {
    /// Of all pictures in RTP (RFC 3551 §5).
    package static var video: MediaClock { MediaClock(rate: 90_000) }
}

/// The payload of VP8 in RTP (RFC 7741 §4).
private enum VP8Payload {
    static func startsKeyFrame(_ payload: Span<UInt8>) -> Bool {
        guard payload.count > 1, payload[0] & 0x10 != 0, payload[0] & 0x07 == 0 else { return false }
        guard let start = self.descriptorLength(payload), start < payload.count else { return false }
        // The lowest bit of the picture's own header says that it needs another (RFC 6386 §9.1).
        return payload[start] & 1 == 0
    }

    /// The first byte, and behind it what its bits and those of the second promise.
    private static func descriptorLength(_ payload: Span<UInt8>) -> Int? {
        guard payload[0] & 0x80 != 0 else { return 1 }
        let extensions = payload[1]
        var length = 2
        if extensions & 0x80 != 0 {
            guard length < payload.count else { return nil }
            // A picture's number has seven bits, or fifteen.
            length += payload[length] & 0x80 == 0 ? 1 : 2
        }
        if extensions & 0x40 != 0 { length += 1 }
        if extensions & 0x30 != 0 { length += 1 }
        return length
    }
}

/// The payload of H.264 in RTP (RFC 6184 §5).
private enum H264Payload {
    private static let picture: UInt8 = 5
    private static let sequenceParameters: UInt8 = 7
    private static let aggregate: UInt8 = 24
    private static let fragment: UInt8 = 28

    static func startsKeyFrame(_ payload: Span<UInt8>) -> Bool {
        guard !payload.isEmpty else { return false }
        switch payload[0] & 0x1F {
        case self.picture, self.sequenceParameters: return true
        case self.aggregate: return self.aggregateStartsKeyFrame(payload)
        case self.fragment:
            // The first piece says so in its highest bit.
            return payload.count > 1 && payload[1] & 0x80 != 0 && payload[1] & 0x1F == self.picture
        default: return false
        }
    }

    /// Each unit has its length in front (RFC 6184 §5.7.1).
    private static func aggregateStartsKeyFrame(_ payload: Span<UInt8>) -> Bool {
        var offset = 1
        while offset + 2 < payload.count {
            let kind = payload[offset + 2] & 0x1F
            if kind == self.picture || kind == self.sequenceParameters { return true }
            offset += 2 + Int(payload[offset]) << 8 + Int(payload[offset + 1])
        }
        return false
    }
}
