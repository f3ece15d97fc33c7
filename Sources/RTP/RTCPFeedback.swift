package import Bytes

/// How a stream is asked for a key frame.
package enum RTCPKeyFrameRequest: Hashable, Sendable {
    /// PLI: pictures were lost (RFC 4585 §6.3.1).
    case pictureLoss
    /// FIR: a picture that needs no other is wanted for another reason; repetitions have the same number (RFC 5104 §4.3.1).
    case fullIntra(number: UInt8)
}

// Feedback about media (RFC 4585, RFC 5104, draft-alvestrand-rmcat-remb).

extension RTCPPacket {
    /// Whose media it is about.
    package var mediaSSRC: UInt32? {
        guard self.type == .transportFeedback || self.type == .payloadFeedback else { return nil }
        return self.bytes.bigEndian(at: 8)
    }

    package var isPictureLoss: Bool { self.isFeedback(.payloadFeedback, RTCPFeedbackFormat.pictureLoss) }

    /// The sequence numbers of packets that a receiver misses (RFC 4585 §6.2.1).
    package func forEachMissing(_ body: (UInt16) -> Void) {
        guard self.isFeedback(.transportFeedback, RTCPFeedbackFormat.nack) else { return }
        for offset in stride(from: 12, to: self.bytes.count, by: 4) {
            let first: UInt16 = self.bytes.bigEndian(at: offset)
            let others: UInt16 = self.bytes.bigEndian(at: offset + 2)
            body(first)
            for bit in 0..<16 where others >> UInt16(bit) & 1 != 0 { body(first &+ UInt16(bit + 1)) }
        }
    }

    /// Whose pictures should begin anew, with the number of the wish (RFC 5104 §4.3.1).
    package func forEachFullIntra(_ body: (_ ssrc: UInt32, _ number: UInt8) -> Void) {
        guard self.isFeedback(.payloadFeedback, RTCPFeedbackFormat.fullIntra) else { return }
        for offset in stride(from: 12, to: self.bytes.count, by: 8) {
            body(self.bytes.bigEndian(at: offset), self.bytes[offset + 4])
        }
    }

    var isBandwidthEstimate: Bool {
        // "REMB"
        self.isFeedback(.payloadFeedback, RTCPFeedbackFormat.application) && self.bytes.count >= 16
            && self.bytes.bigEndian(at: 12, as: UInt32.self) == 0x5245_4D42
    }

    /// How much a receiver believes would come through, in bit/s.
    package var bandwidthEstimate: UInt64? {
        guard self.isBandwidthEstimate else { return nil }
        let fields: UInt32 = self.bytes.bigEndian(at: 16)
        let mantissa = UInt64(fields & 0x3_FFFF)
        let exponent = fields >> 18 & 0x3F
        // No bandwidth goes beyond 64 bits.
        return mantissa.leadingZeroBitCount >= Int(exponent) ? mantissa << exponent : .max
    }
}

extension RTCPWriter {
    /// Asks for packets again. Their numbers in order, so that neighbours share a field.
    package static func nack(
        from ssrc: UInt32, about media: UInt32, _ missing: [UInt16], to writer: inout ByteWriter
    ) {
        self.feedback(.transportFeedback, RTCPFeedbackFormat.nack, ssrc, media, to: &writer) { writer in
            var rest = missing[...]
            while let first = rest.popFirst() {
                var others: UInt16 = 0
                while let next = rest.first, (1...16).contains(next &- first) {
                    others |= 1 << (next &- first &- 1)
                    rest.removeFirst()
                }
                writer.write(first)
                writer.write(others)
            }
        }
    }

    package static func pictureLoss(from ssrc: UInt32, about media: UInt32, to writer: inout ByteWriter) {
        self.feedback(.payloadFeedback, RTCPFeedbackFormat.pictureLoss, ssrc, media, to: &writer) { _ in }
    }

    package static func fullIntra(
        from ssrc: UInt32, about media: UInt32, number: UInt8, to writer: inout ByteWriter
    ) {
        // The media is named in the entry, the head says 0 (RFC 5104 §4.3.1.2).
        self.feedback(.payloadFeedback, RTCPFeedbackFormat.fullIntra, ssrc, 0, to: &writer) { writer in
            writer.write(media)
            writer.write(UInt32(number) << 24)
        }
    }

    package static func bandwidthEstimate(
        from ssrc: UInt32, about sources: [UInt32], _ bitsPerSecond: UInt64, to writer: inout ByteWriter
    ) {
        self.feedback(.payloadFeedback, RTCPFeedbackFormat.application, ssrc, 0, to: &writer) { writer in
            let exponent = max(0, 46 - bitsPerSecond.leadingZeroBitCount)
            let sources = sources.prefix(255)
            writer.write("REMB")
            writer.write(UInt32(sources.count) << 24 | UInt32(exponent) << 18 | UInt32(bitsPerSecond >> exponent))
            for source in sources { writer.write(source) }
        }
    }

    static func feedback(
        _ type: RTCPType, _ format: UInt8, _ ssrc: UInt32, _ media: UInt32, to writer: inout ByteWriter,
        _ body: (inout ByteWriter) -> Void
    ) {
        self.packet(type, format, to: &writer) { writer in
            writer.write(ssrc)
            writer.write(media)
            body(&writer)
        }
    }
}
