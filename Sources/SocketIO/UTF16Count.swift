import Bytes

/// Counts text the way JavaScript does. What it reads was proven to be UTF-8 before.
enum UTF16Count {
    static func of(_ text: Span<UInt8>) -> Int {
        var units = 0
        for index in text.indices { units += self.units(startingWith: text[index]) }
        return units
    }

    /// Where `units` code units from `start` end. To end in the middle of a character is an error.
    static func advance(in text: Span<UInt8>, from start: Int, by units: Int) throws(ByteError) -> Int {
        var index = start
        var left = units
        while left > 0 {
            guard index < text.count else { throw ByteError(.truncated, at: text.count) }
            left -= self.units(startingWith: text[index])
            index += self.bytes(startingWith: text[index])
        }
        guard left == 0, index <= text.count else { throw ByteError(.malformed, at: index) }
        return index
    }

    /// A byte inside a character counts nothing, so that every byte of a text may be asked.
    private static func units(startingWith byte: UInt8) -> Int {
        switch byte {
        case 0x80..<0xC0: 0
        case 0xF0...: 2
        default: 1
        }
    }

    private static func bytes(startingWith byte: UInt8) -> Int {
        switch byte {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0...: 4
        default: 1
        }
    }
}
