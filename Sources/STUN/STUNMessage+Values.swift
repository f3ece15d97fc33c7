internal import Bytes
package import Vocabulary

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
        guard let value = self.value(of: type), value.count <= Self.longestText else { return nil }
        return unsafe value.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
    }

    package static var longestText: Int { 763 }

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
        guard let value = self.value(of: .errorCode), value.count >= 4, value.count <= 4 + Self.longestText else {
            return nil
        }
        let words = value.extracting(4..<value.count)
        return unsafe words.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) }
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
        // Two bytes and two that nobody reads (RFC 8656 §18.1).
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
