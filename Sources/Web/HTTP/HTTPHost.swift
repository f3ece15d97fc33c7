/// What may stand in `Host`: a name or an address, and a port (RFC 9110 §7.2).
///
/// Narrower than the URI grammar on purpose: no user, no escapes, none of the delimiters that no real
/// host name has, because hosts end up in links, logs and comparisons.
enum HTTPHost {
    static func isValid(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        guard !range.isEmpty, range.count <= 262 else { return false }
        let isLiteral = bytes[range.lowerBound] == UInt8(ascii: "[")
        guard let end = isLiteral ? self.literalEnd(bytes, range) : self.nameEnd(bytes, range) else { return false }
        guard end < range.upperBound else { return true }
        return bytes[end] == ASCII.colon && self.isPort(bytes, (end + 1)..<range.upperBound)
    }

    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8.span
        return self.isValid(bytes, in: 0..<bytes.count)
    }

    private static func nameEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var end = range.lowerBound
        while end < range.upperBound, bytes[end].isUnreserved { end += 1 }
        return end > range.lowerBound ? end : nil
    }

    /// An IPv6 address in brackets; what it means is looked at by those who connect to it.
    private static func literalEnd(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]"), in: range) else { return nil }
        let inside = (range.lowerBound + 1)..<close
        let isAddress = bytes.allSatisfy(in: inside) { byte in
            byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte.lowercased)
                || byte == ASCII.colon || byte == UInt8(ascii: ".")
        }
        return inside.count >= 2 && isAddress ? close + 1 : nil
    }

    private static func isPort(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count <= 5, bytes.allSatisfy(in: range, \.isDigit) else { return false }
        return range.reduce(0) { $0 * 10 + Int(bytes[$1] - UInt8(ascii: "0")) } <= 65_535
    }
}
