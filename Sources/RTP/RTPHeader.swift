package import Bytes

/// What every packet of RTP begins with (RFC 3550 §5.1).
package struct RTPHeader: Hashable, Sendable {
    package static let length = 12

    /// For sound: the first packet after a silence.
    package var isMarked: Bool
    /// Below 128.
    package var payloadType: UInt8
    package var sequenceNumber: UInt16
    package var timestamp: UInt32
    package var ssrc: UInt32

    package init(
        payloadType: UInt8, sequenceNumber: UInt16, timestamp: UInt32, ssrc: UInt32, isMarked: Bool = false
    ) {
        self.isMarked = isMarked
        self.payloadType = payloadType & 127
        self.sequenceNumber = sequenceNumber
        self.timestamp = timestamp
        self.ssrc = ssrc
    }

    /// Of bytes that are known to be as many.
    init(_ bytes: Span<UInt8>) {
        self.isMarked = bytes[1] & 0x80 != 0
        self.payloadType = bytes[1] & 0x7F
        self.sequenceNumber = bytes.bigEndian(at: 2)
        self.timestamp = bytes.bigEndian(at: 4)
        self.ssrc = bytes.bigEndian(at: 8)
    }

    /// The header, and up to 15 others whose media was mixed into this. What follows is the extensions if there are any,
    /// then the payload.
    package func write(sources: [UInt32] = [], hasExtensions: Bool = false, to writer: inout ByteWriter) {
        let sources = sources.prefix(15)
        writer.write(0x80 | (hasExtensions ? 0x10 : 0) | UInt8(sources.count))
        writer.write((self.isMarked ? 0x80 : 0) | self.payloadType)
        writer.write(self.sequenceNumber)
        writer.write(self.timestamp)
        writer.write(self.ssrc)
        for source in sources { writer.write(source) }
    }
}
