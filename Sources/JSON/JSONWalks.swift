/// The elements of an array, one after the other. A value that is no array has none.
package struct JSONElements: ~Escapable {
    private var scanner: JSONScanner
    private var isAtEnd: Bool

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in array: JSONValue) {
        var scanner = JSONScanner(proven: bytes, at: array.range.lowerBound)
        self.isAtEnd = array.kind != .array || !scanner.skip(UInt8(ascii: "["))
        self.scanner = scanner
    }

    package mutating func next() -> JSONValue? {
        guard !self.isAtEnd, !self.scanner.skip(UInt8(ascii: "]")), let value = try? self.scanner.value() else {
            self.isAtEnd = true
            return nil
        }
        self.isAtEnd = !self.scanner.skip(UInt8(ascii: ","))
        return value
    }
}

/// The members of an object, one after the other. A value that is no object has none.
package struct JSONMembers: ~Escapable {
    package struct Member: Hashable, Sendable {
        /// The name, quotes included.
        package let key: Range<Int>
        package let value: JSONValue
    }

    private var scanner: JSONScanner
    private var isAtEnd: Bool

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, in object: JSONValue) {
        var scanner = JSONScanner(proven: bytes, at: object.range.lowerBound)
        self.isAtEnd = object.kind != .object || !scanner.skip(UInt8(ascii: "{"))
        self.scanner = scanner
    }

    package mutating func next() -> Member? {
        guard !self.isAtEnd, !self.scanner.skip(UInt8(ascii: "}")), let key = try? self.scanner.key(),
            let value = try? self.scanner.value()
        else {
            self.isAtEnd = true
            return nil
        }
        self.isAtEnd = !self.scanner.skip(UInt8(ascii: ","))
        return Member(key: key, value: value)
    }
}
