package import Bytes

/// A key of a telephone, held or let go (RFC 4733 §2.3).
package struct TelephoneEvent: Hashable, Sendable {
    package static let length = 4

    /// 0 to 15 are keys; there are others, which are not ours.
    package let event: UInt8
    /// It was let go: said three times, so that it is heard.
    package let isEnd: Bool
    /// In decibels below 1 mW: 0 to 63.
    package let attenuation: UInt8
    /// Since it began, in the clock of its payload type.
    package let duration: UInt16

    package init(event: UInt8, isEnd: Bool, attenuation: UInt8 = 10, duration: UInt16) {
        self.event = event
        self.isEnd = isEnd
        self.attenuation = min(attenuation, 63)
        self.duration = duration
    }

    /// Of a payload that may hold more, which is not for keys (RFC 4733 §2.3.1).
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        guard bytes.count >= Self.length else { throw ByteError(.truncated, at: bytes.count) }
        self.event = bytes[0]
        self.isEnd = bytes[1] & 0x80 != 0
        self.attenuation = bytes[1] & 0x3F
        self.duration = bytes.bigEndian(at: 2)
    }

    package func write(to writer: inout ByteWriter) {
        writer.write(self.event)
        writer.write((self.isEnd ? 0x80 : 0) | self.attenuation)
        writer.write(self.duration)
    }

    private static let keys = Array("0123456789*#ABCD")

    package static func event(of key: Character) -> UInt8? {
        self.keys.firstIndex { $0 == key || $0.lowercased() == String(key) }.map { UInt8($0) }
    }

    /// Nil for what is no key.
    package var key: Character? { Int(self.event) < Self.keys.count ? Self.keys[Int(self.event)] : nil }
}
