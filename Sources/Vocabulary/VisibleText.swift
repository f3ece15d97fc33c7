/// Whether what a text holds can be seen, and told from what looks the same. Unicode Technical Reports 36 and 39 tell how people are
/// deceived by names; these are their rules in short.
enum VisibleText {
    /// Nothing that is not seen, and no word whose letters are borrowed from alphabets that look alike.
    static func holds(_ text: Substring) -> Bool {
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() where !self.isPlain(scalar) {
            guard self.joins(scalars, at: index) else { return false }
        }
        return text.split(whereSeparator: \.isBetweenWords).allSatisfy(self.hasOneAlphabet)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse: false
        // A pattern of Braille without a dot. Fillers of Hangul, selectors and others are ignored where text is drawn.
        default: scalar.value != 0x2800 && !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// What is not seen has its place inside emoji and, between letters, in scripts that are written joined.
    private static func joins(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        guard index > 0 else { return false }
        let before = scalars[index - 1]
        let after = scalars.indices.contains(index + 1) ? scalars[index + 1] : nil
        switch scalars[index].value {
        // VARIATION SELECTOR-15 and -16, and ZERO WIDTH JOINER in a family, a profession or a flag.
        case 0xFE0E, 0xFE0F: return before.properties.isEmoji
        case 0x200D where before.isEmojiPart: return after?.properties.isEmoji == true
        case 0x200C, 0x200D: return before.isJoined && after?.isJoined == true
        default: return false
        }
    }

    /// Each as its ranges.
    private static let alphabets: [[ClosedRange<UInt32>]] = [
        // Latin
        [
            0x41...0x5A, 0x61...0x7A, 0xC0...0x2AF, 0x1D00...0x1DBF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA722...0xA7FF,
            0xAB30...0xAB64, 0xFF21...0xFF3A, 0xFF41...0xFF5A,
        ],
        // Greek
        [0x370...0x3FF, 0x1F00...0x1FFF],
        // Cyrillic
        [0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F],
        // Armenian, Cherokee, Coptic, Lisu
        [0x530...0x58F], [0x13A0...0x13FF, 0xAB70...0xABBF], [0x2C80...0x2CFF], [0xA4D0...0xA4FF],
    ]

    private static func hasOneAlphabet(_ word: Substring) -> Bool {
        var found: Int?
        for scalar in word.unicodeScalars {
            let alphabet = self.alphabets.firstIndex { $0.contains { $0.contains(scalar.value) } }
            guard let alphabet, scalar.properties.isAlphabetic else { continue }
            guard found == nil || found == alphabet else { return false }
            found = alphabet
        }
        return true
    }
}

extension Unicode.Scalar {
    /// Also a tone of skin, or the selector behind a sign.
    fileprivate var isEmojiPart: Bool { self.properties.isEmoji || self.value == 0xFE0F }

    /// Of the scripts from Arabic to Sinhala, of Myanmar, Khmer and Mongolian.
    fileprivate var isJoined: Bool {
        [0x600...0xDFF, 0x1000...0x109F, 0x1780...0x18AF].contains { $0.contains(self.value) }
    }
}

extension Character {
    fileprivate var isBetweenWords: Bool { self.isWhitespace || self.isPunctuation || self.isSymbol }
}
