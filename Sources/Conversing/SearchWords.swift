/// Something to look for. Its words hold letters and digits only.
package enum SearchPhrase: Hashable, Sendable {
    /// A word that begins so.
    case prefix(String)
    /// These words, one right after the other.
    case sequence([String])
}

/// Cuts text into what a search index keeps, so that Chinese is found as well as English.
///
/// Letters and digits in a row are one word. Scripts that put no space between words are kept as pairs of neighbours:
/// `今天天气` becomes `今天 天天 天气 气`. Two or more characters are then found wherever they stand side by side,
/// and one character as the beginning of a pair.
package enum SearchWords {
    /// So much of a message can be found.
    package static let maximumWords = 4096
    package static let maximumWordBytes = 64

    /// The words of a text, one space between them.
    package static func indexed(_ text: String) -> String {
        Self.indexed(ascii: text.utf8.span) ?? Self.indexed(anyScript: text)
    }

    /// Most texts, in one walk. Nil where anything but ASCII stands in it.
    private static func indexed(ascii letters: Span<UInt8>) -> String? {
        var words: [UInt8] = []
        words.reserveCapacity(letters.count)
        var (width, room) = (0, Self.maximumWords)
        for index in letters.indices {
            let letter = letters[index]
            guard letter < 0x80 else { return nil }
            guard Self.isASCIIWord(letter), room > 0 || width > 0 else {
                width = 0
                continue
            }
            if width == 0 {
                room -= 1
                if !words.isEmpty { words.append(UInt8(ascii: " ")) }
            }
            if width < Self.maximumWordBytes { words.append(smallASCII: letter) }
            width += 1
        }
        return String(decoding: words, as: UTF8.self)
    }

    private static func indexed(anyScript text: String) -> String {
        var words: [UInt8] = []
        var room = Self.maximumWords
        for run in Self.runs(of: text) where room > 0 {
            guard run.isDense else {
                words += run.bytes
                words.append(UInt8(ascii: " "))
                room -= 1
                continue
            }
            let characters = Array(run.text.unicodeScalars)
            for index in characters.indices.prefix(room) {
                words += Self.text(characters[index..<min(index + 2, characters.count)]).utf8
                words.append(UInt8(ascii: " "))
            }
            room -= characters.count
        }
        return String(decoding: words.dropLast(), as: UTF8.self)
    }

    /// What to look for among such words: all of it has to be found. Nothing when the text holds nothing to look for.
    package static func phrases(_ text: String) -> [SearchPhrase] {
        Self.runs(of: text).prefix(Self.maximumPhrases).map { run in
            let characters = Array(run.text.unicodeScalars)
            // A word is found by its beginning, as people type.
            guard run.isDense, characters.count > 1 else { return .prefix(run.text) }
            return .sequence((0..<characters.count - 1).map { Self.text(characters[$0..<$0 + 2]) })
        }
    }

    private static let maximumPhrases = 16

    private struct Run {
        let bytes: [UInt8]
        let isDense: Bool

        var text: String { String(decoding: self.bytes, as: UTF8.self) }
    }

    private static func runs(of text: String) -> [Run] {
        var runs: [Run] = []
        var (bytes, width, density) = ([UInt8](), 0, Bool?.none)
        for scalar in text.unicodeScalars {
            let isDense = Self.density(of: scalar)
            if isDense != density {
                if let density { runs.append(Run(bytes: bytes, isDense: density)) }
                (bytes, width, density) = ([], 0, isDense)
            }
            // Counted as it was written: small letters may be wider.
            guard let isDense, isDense || width < Self.maximumWordBytes else { continue }
            bytes.append(small: scalar)
            width += UTF8.width(scalar)
        }
        if let density { runs.append(Run(bytes: bytes, isDense: density)) }
        return runs
    }

    /// Whether it belongs to a script without spaces; nil for what stands between words.
    private static func density(of scalar: Unicode.Scalar) -> Bool? {
        if scalar.isASCII { return Self.isASCIIWord(UInt8(truncatingIfNeeded: scalar.value)) ? false : nil }
        return switch scalar.value {
        // Kana, Bopomofo, ideographs and their extensions, Hangul, Thai, Lao, Khmer, Myanmar.
        case 0x3040...0x30FF, 0x3100...0x312F, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xAC00...0xD7A3,
            0x2_0000...0x3_FFFF, 0x0E00...0x0EFF, 0x1780...0x17FF, 0x1000...0x109F:
            true
        default: Self.isOfWords(scalar.properties) ? false : nil
        }
    }

    private static func isASCIIWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }

    /// Accents that stand for themselves belong to the letter before them.
    private static func isOfWords(_ properties: Unicode.Scalar.Properties) -> Bool {
        properties.isAlphabetic || properties.numericType != nil || properties.generalCategory == .nonspacingMark
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

extension [UInt8] {
    /// In small letters: a search ignores case.
    fileprivate mutating func append(small scalar: Unicode.Scalar) {
        if scalar.isASCII {
            self.append(smallASCII: UInt8(truncatingIfNeeded: scalar.value))
        } else {
            self.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
        }
    }

    fileprivate mutating func append(smallASCII letter: UInt8) {
        self.append((65...90).contains(letter) ? letter | 0x20 : letter)
    }
}
