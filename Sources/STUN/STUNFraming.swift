package import Bytes

/// Where messages end that come over TCP or TLS: each says its own length (RFC 8489 §6.2.2, RFC 8656 §12.5).
package enum STUNFraming {
    /// How long the message is that begins here, with its padding; nil while too little is there to tell.
    ///
    /// What is neither a STUN message nor channel data cannot be skipped: the stream is lost.
    package static func length(of stream: Span<UInt8>) throws(ByteError) -> Int? {
        guard stream.count >= 4 else { return nil }
        let length = Int(stream.bigEndian(at: 2, as: UInt16.self))
        switch stream[0] >> 6 {
        case 0:
            guard length & 3 == 0 else { throw ByteError(.outOfRange, at: 2) }
            return STUNHeader.length + length
        case 1: return (ChannelData.headerLength + length + 3) & ~3
        default: throw ByteError(.unexpected(stream[0]), at: 0)
        }
    }
}
