/// One line of a description: a letter, and what it says.
package struct SDPLine: Hashable, Sendable {
    package let letter: Unicode.Scalar
    package let text: String

    package init(_ letter: Unicode.Scalar, _ text: String) {
        self.letter = letter
        self.text = text
    }

    /// `a=name` or `a=name:value`.
    package init(attribute name: String, _ value: String? = nil) {
        self.init("a", value.map { "\(name):\($0)" } ?? name)
    }

    /// The name of an attribute; nil for other lines.
    package var attributeName: Substring? {
        guard self.letter == "a" else { return nil }
        return self.text[..<(self.text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? self.text.endIndex)]
    }

    /// What stands behind the colon of an attribute.
    package var attributeValue: Substring? {
        guard self.letter == "a", let colon = self.text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return self.text[self.text.utf8.index(after: colon)...]
    }

    /// Names are compared as they are written: they are case-sensitive (RFC 8866 §5.13).
    package func isAttribute(_ name: String) -> Bool {
        guard self.letter == "a", self.text.hasPrefix(name) else { return false }
        return self.text.utf8.dropFirst(name.utf8.count).first.map { $0 == UInt8(ascii: ":") } ?? true
    }
}

extension StringProtocol {
    /// Words with one space between them, as every grammar of SDP has it. A space too many makes an empty word, and an
    /// empty word is no value.
    func words(atMost count: Int = .max) -> [SubSequence] {
        self.parts(between: UInt8(ascii: " "), atMost: count)
    }

    /// What stands between signs of ASCII, empty parts too. Signs are looked for among bytes: what people see as one letter
    /// is worth no search here, and a description is full of signs.
    func parts(between sign: UInt8, atMost count: Int = .max) -> [SubSequence] {
        var parts: [SubSequence] = []
        var start = self.startIndex
        while parts.count < count - 1, let end = self.utf8[start...].firstIndex(of: sign) {
            parts.append(self[start..<end])
            start = self.utf8.index(after: end)
        }
        parts.append(self[start...])
        return parts
    }

    /// RFC 8866 §9: letters, digits and some signs, at least one.
    var isToken: Bool {
        !self.isEmpty
            && self.utf8.allSatisfy {
                switch $0 {
                case 0x21, 0x23...0x27, 0x2A...0x2B, 0x2D...0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7E: true
                default: false
                }
            }
    }

    /// Letters, digits, `+` and `/` (RFC 8839 §5.1).
    func isICEText(_ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(self.utf8.count)
            && self.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }

    var isDigits: Bool { !self.isEmpty && self.utf8.allSatisfy { (48...57).contains($0) } }

    /// Digits alone: the standard library would read a sign as well.
    func number<Integer: FixedWidthInteger>(_: Integer.Type = Integer.self) -> Integer? {
        self.isDigits ? Integer(self) : nil
    }

    var trimmingSpaces: SubSequence {
        var (start, end, index) = (self.endIndex, self.startIndex, self.startIndex)
        while index < self.endIndex {
            let next = self.utf8.index(after: index)
            if self.utf8[index] != UInt8(ascii: " ") { (start, end) = (Swift.min(start, index), next) }
            index = next
        }
        return self[Swift.min(start, end)..<end]
    }
}
