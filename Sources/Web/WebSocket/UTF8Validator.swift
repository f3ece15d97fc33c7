/// Says at the first wrong byte that a text is no UTF-8 (RFC 3629), however the text is cut.
package struct UTF8Validator: Hashable, Sendable {
    /// Continuation bytes that are missing.
    private var missing: UInt8 = 0
    /// What the next continuation byte may be. Narrower after some first bytes, so that no character has a
    /// second spelling, no surrogate gets through and nothing lies above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init() {}

    /// True when the text does not stop inside a character.
    package var isComplete: Bool { self.missing == 0 }

    /// False when a byte cannot be right, whatever follows.
    package mutating func consume(_ bytes: Span<UInt8>) -> Bool {
        self.consume(bytes, in: 0..<bytes.count)
    }

    package mutating func consume(_ bytes: Span<UInt8>, in range: Range<Int>) -> Bool {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies outside")
        var index = range.lowerBound
        while index < range.upperBound {
            if self.missing == 0 {
                index = bytes.skipASCII(index..<range.upperBound)
                index = bytes.skipThreeByteCharacters(index..<range.upperBound)
                guard index < range.upperBound else { break }
                guard bytes[index] >= 0x80 else { continue }
                guard self.begin(bytes[index]) else { return false }
            } else {
                guard bytes[index] >= self.lowest, bytes[index] <= self.highest else { return false }
                (self.missing, self.lowest, self.highest) = (self.missing - 1, 0x80, 0xBF)
            }
            index += 1
        }
        return true
    }

    /// The first byte of a character that takes more than one.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (self.missing, self.lowest, self.highest) = (1, 0x80, 0xBF)
        case 0xE0: (self.missing, self.lowest, self.highest) = (2, 0xA0, 0xBF)
        case 0xED: (self.missing, self.lowest, self.highest) = (2, 0x80, 0x9F)
        case 0xE1...0xEF: (self.missing, self.lowest, self.highest) = (2, 0x80, 0xBF)
        case 0xF0: (self.missing, self.lowest, self.highest) = (3, 0x90, 0xBF)
        case 0xF1...0xF3: (self.missing, self.lowest, self.highest) = (3, 0x80, 0xBF)
        case 0xF4: (self.missing, self.lowest, self.highest) = (3, 0x80, 0x8F)
        default: return false
        }
        return true
    }

    /// Whether the bytes are a whole text.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var validator = UTF8Validator()
        return validator.consume(bytes) && validator.isComplete
    }
}

extension Span<UInt8> {
    /// Moves past whole characters of three bytes, which is what Chinese text is made of. The two first bytes
    /// that allow only some second bytes are left to the slower way.
    fileprivate func skipThreeByteCharacters(_ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index + 3 <= range.upperBound {
            let first = self[index]
            guard first & 0xF0 == 0xE0, first != 0xE0, first != 0xED else { break }
            guard self[index + 1] & 0xC0 == 0x80, self[index + 2] & 0xC0 == 0x80 else { break }
            index += 3
        }
        return index
    }

    /// Where the first byte above 0x7F stands, or the end. Thirty-two bytes at a time.
    fileprivate func skipASCII(_ range: Range<Int>) -> Int {
        let raw = unsafe self.bytes
        var index = range.lowerBound
        while index &+ 32 <= range.upperBound {
            // In bounds, because the range was checked and the steps end before its end.
            let block = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: SIMD4<UInt64>.self)
            if (block[0] | block[1] | block[2] | block[3]) & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 32
        }
        while index < range.upperBound, self[index] < 0x80 { index += 1 }
        return index
    }
}
