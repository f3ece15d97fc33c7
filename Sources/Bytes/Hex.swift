/// Lower-case hexadecimal.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(self.digits[Int(byte >> 4)])
            text.append(self.digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Pairs of digits in upper case with colons between them: `AB:CD:…`, as fingerprints are written.
    package static func fingerprint(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 3)
        for byte in bytes {
            if !text.isEmpty { text.append(UInt8(ascii: ":")) }
            for digit in [byte >> 4, byte & 15] { text.append(digit < 10 ? 48 + digit : 55 + digit) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Accepts both cases and nothing else between the digits.
    package static func decode(_ text: String) throws(ByteError) -> [UInt8] {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { throw ByteError(.truncated, at: digits.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            let high = try self.value(of: digits[index], at: index)
            let low = try self.value(of: digits[index + 1], at: index + 1)
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// What one digit is worth, or nil when it is none.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func value(of digit: UInt8, at offset: Int) throws(ByteError) -> UInt8 {
        guard let value = self.value(of: digit) else { throw ByteError(.unexpected(digit), at: offset) }
        return value
    }
}
