/// Base64 (RFC 4648): the standard alphabet with padding, and the URL alphabet without.
package enum Base64 {
    package enum Alphabet: Sendable, CaseIterable {
        /// `+` and `/`, padded with `=`.
        case standard
        /// `-` and `_`, never padded.
        case url
    }

    package static func encode(_ bytes: some Collection<UInt8>, as alphabet: Alphabet = .standard) -> String {
        self.text(of: Array(bytes), in: alphabet)
    }

    // Over an array: over any collection each byte would be a call.
    private static func text(of bytes: [UInt8], in alphabet: Alphabet) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        self.append(bytes.span, to: &text, in: alphabet)
        if alphabet == .url { while text.last == UInt8(ascii: "=") { text.removeLast() } }
        return String(decoding: text, as: UTF8.self)
    }

    package static func decode(_ text: String, as alphabet: Alphabet = .standard) throws(ByteError) -> [UInt8] {
        try self.decode(Array(text.utf8), as: alphabet)
    }

    /// Strict: no white space, the padding of its alphabet, and no bits left over, so that every value
    /// has exactly one text.
    package static func decode(_ text: [UInt8], as alphabet: Alphabet = .standard) throws(ByteError) -> [UInt8] {
        let count = try self.countWithoutPadding(text, in: alphabet)
        let values = alphabet.values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 3 / 4)
        var window: UInt32 = 0
        var held: UInt32 = 0
        for index in 0..<count {
            let value = values[Int(text[index])]
            guard value < 64 else { throw ByteError(.unexpected(text[index]), at: index) }
            window = window << 6 | UInt32(value)
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: window >> held))
        }
        guard held < 6, window & (1 << held - 1) == 0 else { throw ByteError(.malformed, at: count) }
        return bytes
    }

    private static func countWithoutPadding(_ text: [UInt8], in alphabet: Alphabet) throws(ByteError) -> Int {
        guard alphabet == .standard else { return text.count }
        guard text.count.isMultiple(of: 4) else { throw ByteError(.truncated, at: text.count) }
        return text.count - text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    }
}

extension Base64.Alphabet {
    var letters: [UInt8] {
        switch self {
        case .standard: Self.standardLetters
        case .url: Self.urlLetters
        }
    }

    /// The value of every possible digit; 255 where there is none.
    var values: [UInt8] {
        switch self {
        case .standard: Self.standardValues
        case .url: Self.urlValues
        }
    }

    private static let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let standardLetters = common + Array("+/".utf8)
    private static let urlLetters = common + Array("-_".utf8)
    private static let standardValues = inverse(of: standardLetters)
    private static let urlValues = inverse(of: urlLetters)

    private static func inverse(of letters: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }
}

extension Base64 {
    /// Appends the form of `data`, padded, without building a string first.
    package static func append(_ data: Span<UInt8>, to bytes: inout [UInt8], in alphabet: Alphabet = .standard) {
        let letters = alphabet.letters
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
