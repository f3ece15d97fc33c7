extension JSONScanner {
    /// Steps over a string, from its first quote to behind its last.
    mutating func skipString() throws(JSONError) {
        let start = self.offset
        var index = start + 1
        var isASCII = true
        while true {
            index = self.nextSpecial(from: index, isASCII ? Self.tops : 0)
            guard index < self.bytes.count else { throw JSONError(.truncated, at: self.bytes.count) }
            switch self.bytes[index] {
            case UInt8(ascii: "\""):
                if !isASCII { try self.proveText(start + 1..<index) }
                return self.advance(to: index + 1)
            case UInt8(ascii: "\\"):
                index = try self.endOfEscape(at: index)
            case 0x80...0xFF:
                isASCII = false
                index += 1
            default:
                throw JSONError(.unexpected, at: index)
            }
        }
    }

    /// The first byte at or after `index` that is not plain text: a quote, a backslash, a control character, or,
    /// unless `foreign` is zero, a byte beyond ASCII. Eight bytes are looked at together.
    private func nextSpecial(from index: Int, _ foreign: UInt64) -> Int {
        var index = index
        let raw = unsafe self.bytes.bytes
        while index &+ 8 <= raw.byteCount {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let special = Self.specials(in: word) | word & foreign
            if special != 0 { return index &+ special.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < self.bytes.count, Self.isPlain(self.bytes[index], foreign) { index &+= 1 }
        return index
    }

    private static func isPlain(_ byte: UInt8, _ foreign: UInt64) -> Bool {
        byte >= 0x20 && (byte < 0x80 || foreign == 0) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    /// A word whose lowest set bit lies in the first byte that is special.
    ///
    /// Subtracting one from a zero byte borrows from the byte above it, so a byte above the first hit may be
    /// marked in error; the lowest mark is always true.
    private static func specials(in word: UInt64) -> UInt64 {
        let quotes = word ^ (Self.ones &* UInt64(UInt8(ascii: "\"")))
        let slashes = word ^ (Self.ones &* UInt64(UInt8(ascii: "\\")))
        let controls = (word &- Self.ones &* 0x20) & ~word
        return ((quotes &- Self.ones) & ~quotes | (slashes &- Self.ones) & ~slashes | controls) & Self.tops
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
    mutating func skipNumber() throws(JSONError) {
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
