/// Walks over JSON text and proves that it is JSON (RFC 8259), without building anything.
///
/// What it returns are places in the text, so a relay can pass on the very bytes it was given. Strings are proven
/// to be UTF-8. A `\u` escape of half a surrogate pair is let through, as JavaScript writes and reads it.
package struct JSONScanner: ~Escapable {
    package let bytes: Span<UInt8>
    package private(set) var offset: Int
    private var depthLeft: Int
    /// What was proven once is only stepped over.
    let isProven: Bool

    /// Deep enough for people, shallow enough for the stack.
    package static let defaultDepth = 64

    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, at offset: Int = 0, depth: Int = JSONScanner.defaultDepth) {
        self.bytes = bytes
        self.offset = offset
        self.depthLeft = depth
        self.isProven = false
    }

    /// For text that another scanner has walked over.
    @_lifetime(copy bytes)
    init(proven bytes: Span<UInt8>, at offset: Int) {
        self.bytes = bytes
        self.offset = offset
        self.depthLeft = .max
        self.isProven = true
    }

    /// The next value, white space before it included in the walk but not in the value.
    package mutating func value() throws(JSONError) -> JSONValue {
        self.skipSpace()
        let start = self.offset
        let kind = try self.skipValue()
        return JSONValue(kind, at: start..<self.offset)
    }

    /// Fails unless nothing but white space is left.
    package mutating func finish() throws(JSONError) {
        self.skipSpace()
        guard self.offset == self.bytes.count else { throw JSONError(.unexpected, at: self.offset) }
    }

    package mutating func skipSpace() {
        while self.offset < self.bytes.count {
            switch self.bytes[self.offset] {
            case 0x20, 0x0A, 0x0D, 0x09: self.offset += 1
            default: return
            }
        }
    }

    /// Steps over `byte` when it is the next one that is not white space.
    package mutating func skip(_ byte: UInt8) -> Bool {
        self.skipSpace()
        guard self.offset < self.bytes.count, self.bytes[self.offset] == byte else { return false }
        self.offset += 1
        return true
    }

    /// A member's name with its quotes, and the colon after it.
    package mutating func key() throws(JSONError) -> Range<Int> {
        self.skipSpace()
        let start = self.offset
        guard start < self.bytes.count else { throw JSONError(.truncated, at: start) }
        guard self.bytes[start] == UInt8(ascii: "\"") else { throw JSONError(.unexpected, at: start) }
        try self.skipString()
        let range = start..<self.offset
        guard self.skip(UInt8(ascii: ":")) else { throw self.surprise }
        return range
    }

    private mutating func skipValue() throws(JSONError) -> JSONValue.Kind {
        guard self.offset < self.bytes.count else { throw JSONError(.truncated, at: self.offset) }
        switch self.bytes[self.offset] {
        case UInt8(ascii: "\""):
            try self.skipString()
            return .string
        case UInt8(ascii: "{"):
            try self.skipObject()
            return .object
        case UInt8(ascii: "["):
            try self.skipArray()
            return .array
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try self.skipNumber()
            return .number
        case UInt8(ascii: "t"):
            try self.skipWord("true")
            return .bool
        case UInt8(ascii: "f"):
            try self.skipWord("false")
            return .bool
        case UInt8(ascii: "n"):
            try self.skipWord("null")
            return .null
        default:
            throw JSONError(.unexpected, at: self.offset)
        }
    }

    private mutating func skipArray() throws(JSONError) {
        try self.enter()
        guard !self.skip(UInt8(ascii: "]")) else { return self.leave() }
        repeat {
            self.skipSpace()
            _ = try self.skipValue()
        } while self.skip(UInt8(ascii: ","))
        guard self.skip(UInt8(ascii: "]")) else { throw self.surprise }
        self.leave()
    }

    private mutating func skipObject() throws(JSONError) {
        try self.enter()
        guard !self.skip(UInt8(ascii: "}")) else { return self.leave() }
        repeat {
            _ = try self.key()
            self.skipSpace()
            _ = try self.skipValue()
        } while self.skip(UInt8(ascii: ","))
        guard self.skip(UInt8(ascii: "}")) else { throw self.surprise }
        self.leave()
    }

    private mutating func enter() throws(JSONError) {
        guard self.depthLeft > 0 else { throw JSONError(.tooDeep, at: self.offset) }
        self.depthLeft -= 1
        self.offset += 1
    }

    private mutating func leave() {
        self.depthLeft += 1
    }

    /// The next byte is not what the grammar asks for, or there is none.
    package var surprise: JSONError {
        JSONError(self.offset < self.bytes.count ? .unexpected : .truncated, at: self.offset)
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONError) {
        let start = self.offset
        for index in 0..<word.utf8CodeUnitCount {
            guard start + index < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
            let letter = unsafe word.utf8Start[index]
            guard self.bytes[start + index] == letter else { throw JSONError(.unexpected, at: start + index) }
        }
        self.offset = start + word.utf8CodeUnitCount
    }

    mutating func advance(to offset: Int) {
        self.offset = offset
    }
}
