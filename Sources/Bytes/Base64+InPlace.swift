extension Base64 {
    /// Appends the standard form of `data` without building a string first.
    package static func append(_ data: Span<UInt8>, to bytes: inout [UInt8]) {
        let letters = Alphabet.standard.letters
        var index = 0
        while index + 3 <= data.count {
            let window = Int(data[index]) << 16 | Int(data[index + 1]) << 8 | Int(data[index + 2])
            bytes.append(letters[window >> 18])
            bytes.append(letters[window >> 12 & 63])
            bytes.append(letters[window >> 6 & 63])
            bytes.append(letters[window & 63])
            index += 3
        }
        let left = data.count - index
        guard left > 0 else { return }
        let window = Int(data[index]) << 16 | (left > 1 ? Int(data[index + 1]) << 8 : 0)
        bytes.append(letters[window >> 18])
        bytes.append(letters[window >> 12 & 63])
        bytes.append(left > 1 ? letters[window >> 6 & 63] : UInt8(ascii: "="))
        bytes.append(UInt8(ascii: "="))
    }

    /// Decodes the standard form where it lies, as strictly as `decode(_:as:)`, and says which bytes hold the result.
    package static func decode(in bytes: inout [UInt8], at range: Range<Int>) throws(ByteError) -> Range<Int> {
        guard range.count.isMultiple(of: 4) else { throw ByteError(.truncated, at: range.upperBound) }
        let values = Alphabet.standard.values
        let padding = bytes[range].suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var window: UInt32 = 0
        var held: UInt32 = 0
        var end = range.lowerBound
        for index in range.dropLast(padding) {
            let value = values[Int(bytes[index])]
            guard value < 64 else { throw ByteError(.unexpected(bytes[index]), at: index) }
            window = window << 6 | UInt32(value)
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            // What is written never overtakes what is read: three bytes for four.
            bytes[end] = UInt8(truncatingIfNeeded: window >> held)
            end += 1
        }
        guard window & (1 << held - 1) == 0, held < 6 else {
            throw ByteError(.malformed, at: range.upperBound - padding)
        }
        return range.lowerBound..<end
    }
}
