/// What a browser does with a body, and what it calls it (RFC 6266).
package enum ContentDisposition {
    /// The name goes twice: in ASCII for those who know no better, and as it is (RFC 8187).
    package static func value(inline isInline: Bool, name: String?) -> String {
        let kind = isInline ? "inline" : "attachment"
        guard let name else { return kind }
        let plain = name.unicodeScalars.map { scalar -> Character in
            let isSafe = scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F
            return isSafe && !"\"\\%".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        return "\(kind); filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentCoding.encode(name))"
    }

    /// A parameter of a field such as `form-data; name="a"`; its name is written small.
    package static func parameter(_ name: String, of value: String) -> String? {
        var rest = value.utf8.drop { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {
            rest = rest.drop { $0 == ASCII.space || $0 == ASCII.tab }
            let key = rest.prefix { $0.isToken }
            rest = rest.dropFirst(key.count)
            guard rest.first == UInt8(ascii: "=") else {
                rest = rest.drop { $0 != UInt8(ascii: ";") }
                continue
            }
            let text = self.value(&rest)
            if String(Substring(key)).lowercased() == name { return text }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        }
        return nil
    }

    /// Quoted, or a token. Browsers write a quote within as `%22`, others put a backslash in front.
    private static func value(_ rest: inout Substring.UTF8View) -> String {
        rest = rest.dropFirst()
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0 != UInt8(ascii: ";") && $0 != ASCII.space && $0 != ASCII.tab }
            rest = rest.dropFirst(token.count)
            return String(Substring(token))
        }
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            let isEscape = byte == UInt8(ascii: "\\") && rest.first.map { [0x22, 0x5C].contains($0) } ?? false
            bytes.append(isEscape ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
