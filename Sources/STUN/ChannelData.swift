package import Bytes

/// The short name of a peer between a TURN client and its server (RFC 8656 §12).
package struct ChannelNumber: RawRepresentable, Hashable, Sendable {
    package static let all: ClosedRange<UInt16> = 0x4000...0x4FFF
    /// Clients of before RFC 8656 take more of them (RFC 5766 §11).
    package static let understood: ClosedRange<UInt16> = 0x4000...0x7FFF
    package let rawValue: UInt16

    package init?(rawValue: UInt16) {
        guard Self.understood.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

/// A peer's bytes under a channel's number: four bytes more than the payload, where an indication needs 36.
package struct ChannelData: ~Escapable {
    package static let headerLength = 4

    package let channel: ChannelNumber
    package let payload: Span<UInt8>

    /// What comes behind the payload is padding and ignored (RFC 8656 §12.5).
    @_lifetime(copy bytes)
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        guard bytes.count >= Self.headerLength else { throw ByteError(.truncated, at: bytes.count) }
        guard let channel = ChannelNumber(rawValue: bytes.bigEndian(at: 0)) else {
            throw ByteError(.outOfRange, at: 0)
        }
        let length = Int(bytes.bigEndian(at: 2, as: UInt16.self))
        guard length <= bytes.count - Self.headerLength else { throw ByteError(.truncated, at: 2) }
        self.channel = channel
        self.payload = bytes.extracting(Self.headerLength..<(Self.headerLength + length))
    }

    /// Over a stream it is padded to four bytes, over UDP it need not be.
    package static func write(
        _ payload: Span<UInt8>, on channel: ChannelNumber, padded: Bool, to writer: inout ByteWriter
    ) {
        precondition(payload.count <= 0xFFFF, "a payload of \(payload.count) bytes")
        writer.write(channel.rawValue)
        writer.write(UInt16(payload.count))
        writer.write(payload)
        if padded { writer.writeZeros((0 &- payload.count) & 3) }
    }
}
