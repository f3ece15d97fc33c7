package import Bytes

/// The first twenty bytes of every STUN message (RFC 8489 §5).
package struct STUNHeader: Hashable, Sendable {
    package static let length = 20
    package static let cookie: UInt32 = 0x2112_A442

    package let type: STUNMessageType
    /// Of the attributes that follow.
    package let attributesLength: Int
    package let transaction: TransactionID

    package init(_ type: STUNMessageType, attributesLength: Int, _ transaction: TransactionID) {
        self.type = type
        self.attributesLength = attributesLength
        self.transaction = transaction
    }

    /// From the first bytes of a message; what follows them is not looked at.
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        guard bytes.count >= Self.length else { throw ByteError(.truncated, at: bytes.count) }
        // The two highest bits tell STUN from what else may come on the socket.
        guard let type = STUNMessageType(rawValue: bytes.bigEndian(at: 0)) else { throw ByteError(.outOfRange, at: 0) }
        let length = bytes.bigEndian(at: 2, as: UInt16.self)
        guard length & 3 == 0 else { throw ByteError(.outOfRange, at: 2) }
        guard bytes.bigEndian(at: 4, as: UInt32.self) == Self.cookie else { throw ByteError(.malformed, at: 4) }
        self.type = type
        self.attributesLength = Int(length)
        self.transaction = TransactionID(high: bytes.bigEndian(at: 8), low: bytes.bigEndian(at: 12))
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(self.type.rawValue)
        writer.write(UInt16(clamping: self.attributesLength))
        writer.write(Self.cookie)
        writer.write(self.transaction.high)
        writer.write(self.transaction.low)
    }
}

/// What ties an answer to its question: 96 unpredictable bits.
package struct TransactionID: Hashable, Sendable {
    package let high: UInt32
    package let low: UInt64

    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(using random: inout some RandomNumberGenerator) {
        self.init(high: .random(in: .min ... .max, using: &random), low: .random(in: .min ... .max, using: &random))
    }
}

/// A method and what kind of message it is about: their bits are interleaved (RFC 8489 §5, figure 3).
package struct STUNMessageType: Hashable, Sendable {
    package enum Class: UInt16, Hashable, Sendable, CaseIterable {
        case request = 0b00
        case indication = 0b01
        case success = 0b10
        case error = 0b11
    }

    package let method: UInt16
    package let `class`: Class

    package init(_ class: Class, method: UInt16 = STUNMethod.binding) {
        self.class = `class`
        self.method = method & 0xFFF
    }

    package init?(rawValue: UInt16) {
        guard rawValue & 0xC000 == 0 else { return nil }
        guard let kind = Class(rawValue: (rawValue >> 4 & 1) | (rawValue >> 7 & 2)) else { return nil }
        self.class = kind
        self.method = rawValue & 0xF | rawValue >> 1 & 0x70 | rawValue >> 2 & 0xF80
    }

    package var rawValue: UInt16 {
        let method = self.method & 0xF | (self.method & 0x70) << 1 | (self.method & 0xF80) << 2
        return method | (self.class.rawValue & 1) << 4 | (self.class.rawValue & 2) << 7
    }
}
