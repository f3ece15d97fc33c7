/// Walks over JSON text and proves that it is JSON (RFC 8259), without building anything.
///
/// What it returns are places in the text, so a relay can pass on the very bytes it was given. Strings are proven
/// to be UTF-8. A `\u` escape of half a surrogate pair is let through, as JavaScript writes and reads it.
package struct JSONScanner: ~Escapable {
    package let bytes: Span<UInt8>
    package private(set) var offset: Int
    private var depthLeft: Int
    /// What was proven once is only stepped over.
    private let isProven: Bool

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

    private mutating func advance(to offset: Int) {
        self.offset = offset
    }
}

extension JSONScanner {
    /// Steps over a string, from its first quote to behind its last.
    private mutating func skipString() throws(JSONError) {
        if self.isProven { return try self.skipProvenString() }
        let start = self.offset
        var index = start + 1
        var isASCII = true
        while true {
            index = self.nextSpecial(from: index, isASCII: isASCII)
            guard index < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
            switch self.bytes[index] {
            case UInt8(ascii: "\""):
                if !isASCII { try self.proveText(start + 1..<index) }
                return self.advance(to: index + 1)
            case UInt8(ascii: "\\"):
                // Lines of session descriptions end in two of them.
                repeat {
                    index = try self.endOfEscape(at: index)
                } while index < self.bytes.count && self.bytes[index] == UInt8(ascii: "\\")
            case 0x80...0xFF:
                isASCII = false
                index += 1
            default:
                throw JSONError(.unexpected, at: index)
            }
        }
    }

    /// Only looks for the quote at the end: one with an even number of backslashes before it.
    private mutating func skipProvenString() throws(JSONError) {
        var index = self.offset + 1
        while true {
            index = self.nextQuote(from: index)
            guard index < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
            var slash = index
            while self.bytes[slash - 1] == UInt8(ascii: "\\") { slash -= 1 }
            index += 1
            if (index - slash) & 1 == 1 { return self.advance(to: index) }
        }
    }

    private func nextQuote(from index: Int) -> Int {
        var index = index
        let raw = unsafe self.bytes.bytes
        while index &+ 16 <= raw.byteCount {
            // In bounds, as the line above says.
            let block = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
            if let place = (block .== Self.quotes).firstByte { return index &+ place }
            index &+= 16
        }
        while index < self.bytes.count, self.bytes[index] != UInt8(ascii: "\"") { index &+= 1 }
        return index
    }

    /// The first byte at or after `index` that is not plain text: a quote, a backslash, a control character, or,
    /// when `isASCII`, a byte beyond ASCII. Sixteen bytes are looked at together.
    private func nextSpecial(from index: Int, isASCII: Bool) -> Int {
        var index = index
        let raw = unsafe self.bytes.bytes
        while index &+ 16 <= raw.byteCount {
            // In bounds, as the line above says.
            let block = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
            if let place = Self.firstSpecial(in: block, isASCII: isASCII) { return index &+ place }
            index &+= 16
        }
        while index < self.bytes.count, Self.isPlain(self.bytes[index], isASCII: isASCII) { index &+= 1 }
        return index
    }

    private static func firstSpecial(in block: SIMD16<UInt8>, isASCII: Bool) -> Int? {
        // Compared with whole vectors: a comparison with one number is made byte by byte.
        let marks = block .== Self.quotes .| block .== Self.slashes
        // As signed numbers all bytes beyond ASCII lie below zero, and so below the first letter.
        let others = isASCII ? SIMD16<Int8>(truncatingIfNeeded: block) .< Self.signedSpaces : block .< Self.spaces
        return (marks .| others).firstByte
    }

    private static var quotes: SIMD16<UInt8> { SIMD16(repeating: UInt8(ascii: "\"")) }
    private static var slashes: SIMD16<UInt8> { SIMD16(repeating: UInt8(ascii: "\\")) }
    private static var spaces: SIMD16<UInt8> { SIMD16(repeating: 0x20) }
    private static var signedSpaces: SIMD16<Int8> { SIMD16(repeating: 0x20) }

    private static func isPlain(_ byte: UInt8, isASCII: Bool) -> Bool {
        byte >= 0x20 && (byte < 0x80 || !isASCII) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private func endOfEscape(at index: Int) throws(JSONError) -> Int {
        guard index + 1 < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
        switch self.bytes[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return index + 2
        case UInt8(ascii: "u"):
            for place in index + 2..<index + 6 {
                guard place < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
                guard Self.hexValue(of: self.bytes[place]) != nil else { throw JSONError(.unexpected, at: place) }
            }
            return index + 6
        default:
            throw JSONError(.unexpected, at: index + 1)
        }
    }

    private func proveText(_ range: Range<Int>) throws(JSONError) {
        do {
            _ = try UTF8Span(validating: self.bytes.extracting(range))
        } catch {
            throw JSONError(.malformedText, at: range.lowerBound)
        }
    }

    /// `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
    private mutating func skipNumber() throws(JSONError) {
        if self.peek == UInt8(ascii: "-") { self.advance(to: self.offset + 1) }
        if self.peek == UInt8(ascii: "0") {
            self.advance(to: self.offset + 1)
        } else {
            try self.skipDigits()
        }
        if self.peek == UInt8(ascii: ".") {
            self.advance(to: self.offset + 1)
            try self.skipDigits()
        }
        if self.peek == UInt8(ascii: "e") || self.peek == UInt8(ascii: "E") {
            self.advance(to: self.offset + 1)
            if self.peek == UInt8(ascii: "+") || self.peek == UInt8(ascii: "-") { self.advance(to: self.offset + 1) }
            try self.skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        var index = self.offset
        while index < self.bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self.bytes[index]) {
            index += 1
        }
        guard index > self.offset else { throw self.surprise }
        self.advance(to: index)
    }

    /// The byte that comes next, if there is one.
    package var peek: UInt8? {
        self.offset < self.bytes.count ? self.bytes[self.offset] : nil
    }

    static func hexValue(of digit: UInt8) -> UInt16? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(digit - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

extension SIMDMask<SIMD16<Int8>> {
    /// The first of the sixteen bytes that the mask names.
    fileprivate var firstByte: Int? {
        // All bits of a byte are set, or none. The first byte is the lowest on a little-endian machine.
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        guard halves[0] | halves[1] != 0 else { return nil }
        let low = halves[0].littleEndian
        return low != 0 ? low.trailingZeroBitCount >> 3 : 8 &+ halves[1].littleEndian.trailingZeroBitCount >> 3
    }
}
