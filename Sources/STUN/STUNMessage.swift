package import Bytes

/// A STUN message where it lies: checked once from front to back, then read by name (RFC 8489 §5).
///
/// It borrows the datagram, copies nothing and allocates nothing.
package struct STUNMessage: ~Escapable {
    package let bytes: Span<UInt8>
    package let header: STUNHeader
    /// The end of the first integrity attribute. What follows it is not authenticated, so it is not read (RFC 8489 §14.5).
    let readable: Int
    /// Where these three begin; 0 when they are not there.
    let integrity: Int
    let integritySHA256: Int
    let fingerprint: Int

    /// Refuses what is not one whole message, from its first to its last byte.
    @_lifetime(copy bytes)
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        self.bytes = bytes
        self.header = try STUNHeader(parsing: bytes)
        var scan = Scan()
        try scan.run(bytes, end: STUNHeader.length + self.header.attributesLength)
        self.readable = scan.readable
        self.integrity = scan.integrity
        self.integritySHA256 = scan.integritySHA256
        self.fingerprint = scan.fingerprint
    }

    /// Tells STUN from what else may come on a socket, by its first byte and its cookie (RFC 7983, RFC 8489 §6.3).
    package static func isPlausible(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= STUNHeader.length, bytes[0] < 4 else { return false }
        return bytes.bigEndian(at: 4, as: UInt32.self) == STUNHeader.cookie
    }
}

extension STUNMessage {
    package var type: STUNMessageType { self.header.type }
    package var transaction: TransactionID { self.header.transaction }
    package var hasIntegrity: Bool { self.integrity != 0 || self.integritySHA256 != 0 }
    package var hasFingerprint: Bool { self.fingerprint != 0 }

    /// All attributes in their order, as far as they may be read.
    package var attributes: STUNAttributes {
        @_lifetime(copy self) get { STUNAttributes(self.bytes, end: self.readable) }
    }

    /// Where the value lies; the first one counts when there are many (RFC 8489 §14).
    package func range(of type: STUNAttributeType) -> Range<Int>? {
        var offset = STUNHeader.length
        while offset < self.readable {
            let length = Int(self.bytes.bigEndian(at: offset + 2, as: UInt16.self))
            guard self.bytes.bigEndian(at: offset, as: UInt16.self) != type.rawValue else {
                return (offset + 4)..<(offset + 4 + length)
            }
            offset += 4 + (length + 3) & ~3
        }
        return nil
    }

    @_lifetime(copy self)
    package func value(of type: STUNAttributeType) -> Span<UInt8>? {
        guard let range = self.range(of: type) else { return nil }
        return self.bytes.extracting(range)
    }

    package func has(_ type: STUNAttributeType) -> Bool { self.range(of: type) != nil }
}

/// One attribute: its name, and where its value lies in the message.
package struct STUNAttribute: Hashable, Sendable {
    package let type: STUNAttributeType
    package let range: Range<Int>
}

/// The attributes of a message, one after the other.
package struct STUNAttributes: ~Escapable {
    private let bytes: Span<UInt8>
    private let end: Int
    private var offset = STUNHeader.length

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, end: Int) {
        self.bytes = bytes
        self.end = end
    }

    package mutating func next() -> STUNAttribute? {
        guard self.offset < self.end else { return nil }
        let type = STUNAttributeType(rawValue: self.bytes.bigEndian(at: self.offset))
        let length = Int(self.bytes.bigEndian(at: self.offset + 2, as: UInt16.self))
        let start = self.offset + 4
        self.offset = start + (length + 3) & ~3
        return STUNAttribute(type: type, range: start..<(start + length))
    }
}

/// The one walk over a message that proves where its attributes lie.
private struct Scan {
    var integrity = 0
    var integritySHA256 = 0
    var fingerprint = 0
    var readable = 0

    mutating func run(_ bytes: Span<UInt8>, end: Int) throws(ByteError) {
        guard end == bytes.count else { throw ByteError(end > bytes.count ? .truncated : .outOfRange, at: 2) }
        var offset = STUNHeader.length
        // Lengths are multiples of four, so four bytes are left whenever any is.
        while offset < end {
            let type = bytes.bigEndian(at: offset, as: UInt16.self)
            let length = Int(bytes.bigEndian(at: offset + 2, as: UInt16.self))
            let next = offset + 4 + (length + 3) & ~3
            guard next <= end else { throw ByteError(.truncated, at: offset + 2) }
            try self.note(type, length, at: offset, isLast: next == end)
            offset = next
        }
        if self.readable == 0 { self.readable = end }
    }

    private mutating func note(_ type: UInt16, _ length: Int, at offset: Int, isLast: Bool) throws(ByteError) {
        switch STUNAttributeType(rawValue: type) {
        case .messageIntegrity where self.integrity == 0 && self.integritySHA256 == 0:
            guard length == 20 else { throw ByteError(.outOfRange, at: offset + 2) }
            self.integrity = offset
        case .messageIntegritySHA256 where self.integritySHA256 == 0:
            // It may be cut, but not to nothing (RFC 8489 §14.6).
            guard length >= 16, length <= 32, length & 3 == 0 else { throw ByteError(.outOfRange, at: offset + 2) }
            self.integritySHA256 = offset
        case .fingerprint:
            guard length == 4, isLast else { throw ByteError(.outOfRange, at: offset + 2) }
            self.fingerprint = offset
        default: return
        }
        if self.readable == 0 { self.readable = offset }
    }
}
