extension JSONReader {
    /// Whether the string at `range` (quotes included) says `text`, however it is escaped.
    package func isString(at range: Range<Int>, equalTo text: String) -> Bool {
        let expected = text.utf8.span
        let start = range.lowerBound + 1
        let count = range.count - 2
        if count == expected.count, self.hasBytes(expected, at: start) {
            // A text with a backslash in it never equals its own escaped form.
            return !text.utf8.contains(UInt8(ascii: "\\"))
        }
        guard count > expected.count, self.hasEscape(in: range) else { return false }
        // Byte by byte: two strings that only look alike are two names.
        return self.text(at: range)?.utf8.elementsEqual(text.utf8) ?? false
    }

    /// The string at `range` (quotes included) without its escapes. Half a surrogate pair reads as U+FFFD.
    package func text(at range: Range<Int>) -> String? {
        guard range.count >= 2 else { return nil }
        let inside = range.lowerBound + 1..<range.upperBound - 1
        guard self.hasEscape(in: inside) else {
            guard let view = try? UTF8Span(validating: self.bytes.extracting(inside)) else { return nil }
            return String(copying: view)
        }
        return self.unescaped(inside)
    }

    private func hasBytes(_ expected: Span<UInt8>, at start: Int) -> Bool {
        for index in expected.indices where self.bytes[start + index] != expected[index] { return false }
        return true
    }

    private func hasEscape(in range: Range<Int>) -> Bool {
        for index in range where self.bytes[index] == UInt8(ascii: "\\") { return true }
        return false
    }

    private func unescaped(_ range: Range<Int>) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            if self.bytes[index] == UInt8(ascii: "\\") {
                index = self.appendEscape(at: index, before: range.upperBound, to: &units)
            } else {
                units.append(self.bytes[index])
                index += 1
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// Appends what the escape at `index` stands for and returns where the text goes on.
    private func appendEscape(at index: Int, before end: Int, to units: inout [UInt8]) -> Int {
        guard index + 1 < end else { return end }
        switch self.bytes[index + 1] {
        case UInt8(ascii: "b"): units.append(0x08)
        case UInt8(ascii: "f"): units.append(0x0C)
        case UInt8(ascii: "n"): units.append(0x0A)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "u"): return self.appendScalar(at: index, before: end, to: &units)
        case let plain: units.append(plain)
        }
        return index + 2
    }

    private func appendScalar(at index: Int, before end: Int, to units: inout [UInt8]) -> Int {
        guard let first = self.codeUnit(at: index, before: end) else { return end }
        if UTF16.isLeadSurrogate(first), let second = self.codeUnit(at: index + 6, before: end),
            UTF16.isTrailSurrogate(second)
        {
            let value = 0x1_0000 + (UInt32(first & 0x3FF) << 10 | UInt32(second & 0x3FF))
            self.append(Unicode.Scalar(value), to: &units)
            return index + 12
        }
        self.append(Unicode.Scalar(UInt32(first)), to: &units)
        return index + 6
    }

    private func append(_ scalar: Unicode.Scalar?, to units: inout [UInt8]) {
        units.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
    }

    /// The number in a `\uXXXX` at `index`, if one stands there.
    private func codeUnit(at index: Int, before end: Int) -> UInt16? {
        guard index + 6 <= end, self.bytes[index] == UInt8(ascii: "\\"), self.bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for place in index + 2..<index + 6 {
            guard let digit = JSONScanner.hexValue(of: self.bytes[place]) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}
