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
