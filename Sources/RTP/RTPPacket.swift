package import Bytes

/// A packet of RTP where it lies: checked once from front to back, then read (RFC 3550 §5.1, RFC 8285).
///
/// It borrows the datagram, copies nothing and allocates nothing.
package struct RTPPacket: ~Escapable {
    package let bytes: Span<UInt8>
    package let header: RTPHeader
    /// Where the payload lies, without the padding behind it. It may be empty.
    package let payloadRange: Range<Int>
    /// Where the elements of the extensions lie, of either form; empty when there are none.
    let elements: Range<Int>
    let form: RTPExtensionForm

    @_lifetime(copy bytes)
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        guard bytes.count >= RTPHeader.length else { throw ByteError(.truncated, at: bytes.count) }
        let first = bytes[0]
        guard first >> 6 == 2 else { throw ByteError(.unexpected(first), at: 0) }
        self.bytes = bytes
        self.header = RTPHeader(bytes)
        var start = RTPHeader.length + 4 * Int(first & 0x0F)
        guard start <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
        if first & 0x10 != 0 {
            guard start + 4 <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
            self.form = RTPExtensionForm(profile: bytes.bigEndian(at: start))
            let end = start + 4 + 4 * Int(bytes.bigEndian(at: start + 2, as: UInt16.self))
            guard end <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
            self.elements = (start + 4)..<end
            start = end
        } else {
            self.form = .other
            self.elements = start..<start
        }
        self.payloadRange = start..<(bytes.count - (try Self.padding(bytes, behind: start)))
    }

    /// The last byte counts the padding, itself included.
    private static func padding(_ bytes: Span<UInt8>, behind start: Int) throws(ByteError) -> Int {
        guard bytes[0] & 0x20 != 0 else { return 0 }
        let padding = Int(bytes[bytes.count - 1])
        guard padding > 0, padding <= bytes.count - start else { throw ByteError(.outOfRange, at: bytes.count - 1) }
        return padding
    }

    /// Tells RTP from what else may come on a socket (RFC 7983 §7, RFC 5761 §4).
    package static func isPlausible(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= RTPHeader.length && bytes[0] >> 6 == 2 && !(192...223).contains(bytes[1])
    }
}

extension RTPPacket {
    package var payload: Span<UInt8> {
        @_lifetime(copy self) get { self.bytes.extracting(self.payloadRange) }
    }

    /// How many others' media was mixed into this.
    package var sourceCount: Int { Int(self.bytes[0] & 0x0F) }

    package func source(at index: Int) -> UInt32 {
        precondition(index < self.sourceCount, "source \(index) of \(self.sourceCount)")
        return self.bytes.bigEndian(at: RTPHeader.length + 4 * index)
    }

    package var hasExtensions: Bool { self.bytes[0] & 0x10 != 0 }

    /// Where the value of an extension lies. What cannot be read ends the search: the media is good without it.
    package func range(of id: UInt8) -> Range<Int>? {
        var position = self.elements.lowerBound
        while let (found, range) = self.element(at: &position) {
            if found == id { return range }
        }
        return nil
    }

    @_lifetime(copy self)
    package func value(of id: UInt8) -> Span<UInt8>? {
        guard let range = self.range(of: id) else { return nil }
        return self.bytes.extracting(range)
    }

    private func element(at position: inout Int) -> (id: UInt8, range: Range<Int>)? {
        let end = self.elements.upperBound
        while position < end, self.bytes[position] == 0 { position += 1 }
        guard position < end else { return nil }
        let first = self.bytes[position]
        let start: Int
        let length: Int
        let id: UInt8
        switch self.form {
        case .short:
            // RFC 8285 §4.2: 15 ends the list, whatever follows.
            guard first >> 4 != 15 else { return nil }
            (id, start, length) = (first >> 4, position + 1, Int(first & 15) + 1)
        case .long:
            guard position + 1 < end else { return nil }
            (id, start, length) = (first, position + 2, Int(self.bytes[position + 1]))
        case .other: return nil
        }
        guard length <= end - start else { return nil }
        position = start + length
        return (id, start..<position)
    }
}

/// The two forms of extensions (RFC 8285 §4.2, §4.3), and all others, which mean nothing to us.
package enum RTPExtensionForm: Hashable, Sendable {
    /// Identifiers 1 to 14, values of 1 to 16 bytes.
    case short
    /// Identifiers 1 to 255, values of 0 to 255 bytes.
    case long
    case other

    init(profile: UInt16) {
        switch profile {
        case 0xBEDE: self = .short
        case 0x1000...0x100F: self = .long
        default: self = .other
        }
    }
}
