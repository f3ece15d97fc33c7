/// Reads values out of JSON text, by the places a `JSONScanner` found.
///
/// Asking for what is not there, or for a value of another kind, gives nil.
package struct JSONReader: ~Escapable {
    package let bytes: Span<UInt8>

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
    }

    /// The one value the whole text is.
    package func document(depth: Int = JSONScanner.defaultDepth) throws(JSONError) -> JSONValue {
        var scanner = JSONScanner(self.bytes, depth: depth)
        let value = try scanner.value()
        try scanner.finish()
        return value
    }

    /// The same for text that was proven to be one value before: nothing but its ends is looked at.
    package var provenDocument: JSONValue {
        var start = 0
        var end = self.bytes.count
        while start < end, Self.isSpace(self.bytes[start]) { start += 1 }
        while start < end, Self.isSpace(self.bytes[end - 1]) { end -= 1 }
        return JSONValue(start < end ? Self.kind(beginningWith: self.bytes[start]) : .null, at: start..<end)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private static func kind(beginningWith byte: UInt8) -> JSONValue.Kind {
        switch byte {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    @_lifetime(copy self)
    package func elements(of array: JSONValue) -> JSONElements {
        JSONElements(self.bytes, in: array)
    }

    @_lifetime(copy self)
    package func members(of object: JSONValue) -> JSONMembers {
        JSONMembers(self.bytes, in: object)
    }

    /// The value of a member. When a name stands twice the last one counts, as in JavaScript.
    package func member(_ name: String, of object: JSONValue) -> JSONValue? {
        var members = self.members(of: object)
        var found: JSONValue?
        while let member = members.next() {
            if self.isString(at: member.key, equalTo: name) { found = member.value }
        }
        return found
    }

    /// Where the object begins that the text in `range` is; nil for a value of another kind.
    package func objectStart(in range: Range<Int>) -> Int? {
        var scanner = JSONScanner(self.bytes, at: range.lowerBound)
        scanner.skipSpace()
        guard range.contains(scanner.offset), self.bytes[scanner.offset] == UInt8(ascii: "{") else { return nil }
        return scanner.offset
    }

    package func string(_ value: JSONValue) -> String? {
        guard value.kind == .string else { return nil }
        return self.text(at: value.range)
    }

    /// A whole number that fits; `1.0` and `1e3` are not taken for one.
    package func integer(_ value: JSONValue) -> Int? {
        guard value.kind == .number else { return nil }
        let isNegative = self.bytes[value.range.lowerBound] == UInt8(ascii: "-")
        var sum = 0
        for index in value.range.dropFirst(isNegative ? 1 : 0) {
            guard let digit = self.digit(at: index) else { return nil }
            let (product, tooLong) = sum.multipliedReportingOverflow(by: 10)
            let (next, tooMuch) =
                isNegative
                ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            guard !tooLong, !tooMuch else { return nil }
            sum = next
        }
        return sum
    }

    package func bool(_ value: JSONValue) -> Bool? {
        guard value.kind == .bool else { return nil }
        return self.bytes[value.range.lowerBound] == UInt8(ascii: "t")
    }

    /// A copy of the bytes as they stand.
    package func raw(_ value: JSONValue) -> [UInt8] {
        unsafe self.bytes.extracting(value.range).withUnsafeBufferPointer { unsafe [UInt8]($0) }
    }

    private func digit(at index: Int) -> Int? {
        let byte = self.bytes[index]
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        return Int(byte - UInt8(ascii: "0"))
    }
}

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
