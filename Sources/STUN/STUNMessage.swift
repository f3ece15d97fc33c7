package import Bytes
internal import Hashing
package import Vocabulary

/// A STUN message where it lies: checked once from front to back, then read by name (RFC 8489 §5).
///
/// It borrows the datagram, copies nothing and allocates nothing.
package struct STUNMessage: ~Escapable {
    package let bytes: Span<UInt8>
    package let header: STUNHeader
    /// The end of the first integrity attribute. What follows it is not authenticated, so it is not read (RFC 8489 §14.5).
    private let readable: Int
    /// Where these three begin; 0 when they are not there.
    private let integrity: Int
    private let integritySHA256: Int
    private let fingerprint: Int

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

// MARK: - Attributes

// What an attribute means. Each is nil when it is missing or not in its form.

extension STUNMessage {
    @inlinable
    package func number<Integer: FixedWidthInteger & BitwiseCopyable>(
        of type: STUNAttributeType, as _: Integer.Type = Integer.self
    ) -> Integer? {
        guard let range = self.range(of: type), range.count == MemoryLayout<Integer>.size else { return nil }
        return self.bytes.bigEndian(at: range.lowerBound)
    }

    /// UTF-8 of at most 763 bytes, the longest that any text of the protocol may be (RFC 8489 §14.3, §14.9 ff.).
    package func text(of type: STUNAttributeType) -> String? {
        guard let value = self.value(of: type), value.count <= Self.maximumTextBytes else { return nil }
        return String(utf8: value)
    }

    package static var maximumTextBytes: Int { 763 }

    /// The first address of this name, taken out of hiding where it was hidden.
    package func address(of type: STUNAttributeType) -> SocketAddress? {
        self.range(of: type).flatMap { self.address(in: STUNAttribute(type: type, range: $0)) }
    }

    /// The address in this very attribute: some messages hold several of one name.
    package func address(in attribute: STUNAttribute) -> SocketAddress? {
        STUNAddress.read(
            self.bytes.extracting(attribute.range),
            hiddenBy: attribute.type.isHiddenAddress ? self.transaction : nil)
    }

    /// What address the server sees us at. Old servers know only the plain form.
    package var mappedAddress: SocketAddress? {
        self.address(of: .xorMappedAddress) ?? self.address(of: .mappedAddress)
    }

    package var errorCode: STUNErrorCode? {
        guard let value = self.value(of: .errorCode), value.count >= 4, value[3] < 100 else { return nil }
        return STUNErrorCode(rawValue: Int(value[2] & 7) * 100 + Int(value[3]))
    }

    /// What the server adds in words.
    package var errorReason: String? {
        guard let value = self.value(of: .errorCode), value.count >= 4, value.count <= 4 + Self.maximumTextBytes else {
            return nil
        }
        return String(utf8: value.extracting(4..<value.count))
    }

    /// Those that the other side says it does not understand.
    package var unknownAttributes: [STUNAttributeType]? {
        guard let value = self.value(of: .unknownAttributes), value.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: value.count, by: 2).map { STUNAttributeType(rawValue: value.bigEndian(at: $0)) }
    }

    /// The attributes that must be understood and are not among `known` (RFC 8489 §6.3), at most `limit` of them.
    package func notUnderstood(
        knowing known: (STUNAttributeType) -> Bool, limit: Int = 8
    ) -> [STUNAttributeType] {
        var unknown: [STUNAttributeType] = []
        var attributes = self.attributes
        while let attribute = attributes.next(), unknown.count < limit {
            guard attribute.type.mustBeUnderstood, !known(attribute.type) else { continue }
            if !unknown.contains(attribute.type) { unknown.append(attribute.type) }
        }
        return unknown
    }
}

// MARK: - TURN

extension STUNMessage {
    package var channelNumber: ChannelNumber? {
        // Two bytes and two that are not read (RFC 8656 §18.1).
        self.number(of: .channelNumber, as: UInt32.self).flatMap { ChannelNumber(rawValue: UInt16($0 >> 16)) }
    }

    package var lifetime: Duration? {
        self.number(of: .lifetime, as: UInt32.self).map { .seconds(Int64($0)) }
    }

    /// The protocol between the relay and the peers: 17 is UDP, 6 is TCP.
    package var requestedTransport: UInt8? {
        self.number(of: .requestedTransport, as: UInt32.self).map { UInt8($0 >> 24) }
    }

    package func addressFamily(of type: STUNAttributeType) -> STUNAddressFamily? {
        self.number(of: type, as: UInt32.self).flatMap { STUNAddressFamily(rawValue: UInt8($0 >> 24)) }
    }

    /// Of a dual allocation, the family that could not be had and why (RFC 8656 §18.9).
    package var addressError: (family: STUNAddressFamily, code: STUNErrorCode)? {
        guard let value = self.value(of: .addressErrorCode), value.count >= 4, value[3] < 100,
            let family = STUNAddressFamily(rawValue: value[0]),
            let code = STUNErrorCode(rawValue: Int(value[2] & 7) * 100 + Int(value[3]))
        else { return nil }
        return (family, code)
    }

    /// Whether the port next to the even one is to be kept too (RFC 8656 §18.6).
    package var evenPortReservesNext: Bool? {
        self.number(of: .evenPort, as: UInt8.self).map { $0 & 0x80 != 0 }
    }
}

/// IPv4 or IPv6, by the numbers STUN and TURN have for them.
package enum STUNAddressFamily: UInt8, Hashable, Sendable, CaseIterable {
    case ipv4 = 1
    case ipv6 = 2

    package init(of ip: IPAddress) {
        switch ip {
        case .v4: self = .ipv4
        case .v6: self = .ipv6
        }
    }
}

// MARK: - The behaviour of NATs

/// From where a server is asked to answer (RFC 5780 §7.2).
package struct STUNChangeRequest: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let ip = Self(rawValue: 4)
    package static let port = Self(rawValue: 2)
}

extension STUNMessage {
    package var changeRequest: STUNChangeRequest? {
        self.number(of: .changeRequest, as: UInt32.self).map { STUNChangeRequest(rawValue: $0 & 6) }
    }

    /// To which of our ports a server is asked to answer (RFC 5780 §7.5).
    package var responsePort: UInt16? {
        guard let value = self.value(of: .responsePort), value.count == 2 || value.count == 4 else { return nil }
        return value.bigEndian(at: 0)
    }
}

// MARK: - Integrity

extension STUNMessage {
    /// Which of the two codes a message is signed with.
    package enum Integrity: Hashable, Sendable { case sha1, sha256 }

    /// Whether the holder of the key wrote everything that can be read here. Of two codes the stronger one counts.
    package func isAuthentic(_ key: STUNKey) -> Bool {
        self.isAuthentic(key, by: self.integritySHA256 != 0 ? .sha256 : .sha1)
    }

    package func isAuthentic(_ key: STUNKey, by integrity: Integrity) -> Bool {
        switch integrity {
        case .sha1: self.integrity != 0 && self.agrees(key.sha1, at: self.integrity)
        case .sha256: self.integritySHA256 != 0 && self.agrees(key.sha256, at: self.integritySHA256)
        }
    }

    package func has(_ integrity: Integrity) -> Bool {
        switch integrity {
        case .sha1: self.integrity != 0
        case .sha256: self.integritySHA256 != 0
        }
    }

    /// The code covers what comes before it, and a header that counts nothing behind it (RFC 8489 §14.5).
    private func agrees(_ key: HMACKey, at offset: Int) -> Bool {
        let start = offset + 4
        let end = start + Int(self.bytes.bigEndian(at: offset + 2, as: UInt16.self))
        let length = end - STUNHeader.length
        let head: InlineArray<4, UInt8> = [
            self.bytes[0], self.bytes[1], UInt8(length >> 8), UInt8(truncatingIfNeeded: length),
        ]
        let code = key.code(of: head.span, self.bytes.extracting(4..<offset))
        return code.begins(with: self.bytes.extracting(start..<end))
    }

    /// Whether the checksum is there and right, so that this is STUN and no accident.
    package var hasRightFingerprint: Bool {
        guard self.fingerprint != 0 else { return false }
        let sum = STUNFingerprint.of(self.bytes.extracting(0..<self.fingerprint))
        return self.bytes.bigEndian(at: self.fingerprint + 4) == sum
    }
}
