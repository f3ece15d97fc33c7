internal import Bytes

/// Percent-encoding (RFC 3986 §2.1), taken off once and never twice.
package enum PercentCoding {
    /// Appends the decoded bytes. False when a percent sign is not followed by two digits.
    static func decode(_ bytes: Span<UInt8>, in range: Range<Int>, plusIsSpace: Bool, into out: inout [UInt8]) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "+"), plusIsSpace {
                out.append(ASCII.space)
            } else if byte == UInt8(ascii: "%") {
                guard index + 1 < range.upperBound, let high = Hex.value(of: bytes[index]),
                    let low = Hex.value(of: bytes[index + 1])
                else { return false }
                out.append(high << 4 | low)
                index += 2
            } else {
                out.append(byte)
            }
        }
        return true
    }

    /// Nil when an escape is malformed or the result is no UTF-8.
    package static func decode(_ text: String) -> String? {
        let bytes = text.utf8.span
        var out: [UInt8] = []
        guard self.decode(bytes, in: 0..<bytes.count, plusIsSpace: false, into: &out) else { return nil }
        return String(utf8: out.span)
    }

    /// Escapes everything but letters, digits and `-._~`, so that the result fits into any part of a URI.
    package static func encode(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            if byte.isUnreserved {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(self.digit(byte >> 4))
                out.append(self.digit(byte & 15))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension UInt8 {
    /// The bytes that mean themselves everywhere in a URI (RFC 3986 §2.3).
    var isUnreserved: Bool {
        if self.isLetter || self.isDigit { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): return true
        default: return false
        }
    }
}
