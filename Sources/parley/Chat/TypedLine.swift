/// The line that is being typed on a terminal, key by key, with a cursor in it.
struct TypedLine: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        /// The key was part of something, or means nothing here.
        case nothing
        case changed
        case line(String)
        /// Control-C, or Control-D on an empty line.
        case ended
    }

    private(set) var text: [Character] = []
    private(set) var cursor = 0
    /// The beginning of a character or of an escape sequence.
    private var pending: [UInt8] = []

    /// What is more than a message may hold is not taken.
    static let maximumCharacters = 16_000
    private static let maximumSequence = 16

    mutating func received(_ byte: UInt8) -> Outcome {
        switch self.pending.first {
        case nil: return self.began(byte)
        case 0x1B?: return self.continued(sequence: byte)
        case _?: return self.continued(character: byte)
        }
    }

    private mutating func began(_ byte: UInt8) -> Outcome {
        switch byte {
        case 0x0A, 0x0D: return self.takeLine()
        case 0x03: return .ended
        case 0x04: return self.text.isEmpty ? .ended : self.remove(self.cursor..<min(self.cursor + 1, self.text.count))
        case 0x7F, 0x08: return self.remove(max(0, self.cursor - 1)..<self.cursor)
        case 0x01: return self.move(to: 0)
        case 0x05: return self.move(to: self.text.count)
        case 0x0B: return self.remove(self.cursor..<self.text.count)
        case 0x15: return self.remove(0..<self.cursor)
        case 0x17: return self.remove(self.startOfWord..<self.cursor)
        case 0x1B, 0xC2...0xF4:
            self.pending = [byte]
            return .nothing
        case 0x20..<0x7F: return self.insert(Character(Unicode.Scalar(byte)))
        default: return .nothing
        }
    }

    private mutating func continued(character byte: UInt8) -> Outcome {
        guard byte & 0xC0 == 0x80, let lead = self.pending.first else {
            self.pending = []
            return self.began(byte)
        }
        self.pending.append(byte)
        guard self.pending.count == (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4) else { return .nothing }
        defer { self.pending = [] }
        guard let character = String(validating: self.pending, as: UTF8.self)?.first else { return .nothing }
        return self.insert(character)
    }

    /// Arrow keys and their neighbours: `ESC [ … letter`, or `ESC O letter`.
    private mutating func continued(sequence byte: UInt8) -> Outcome {
        self.pending.append(byte)
        let isIntroducer = self.pending.count == 2 && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O"))
        let isOver = (0x40...0x7E).contains(byte) && !isIntroducer || self.pending.count >= Self.maximumSequence
        guard isOver else { return .nothing }
        let keys = String(decoding: self.pending.dropFirst(2), as: UTF8.self)
        self.pending = []
        switch keys {
        case "C": return self.move(to: min(self.cursor + 1, self.text.count))
        case "D": return self.move(to: max(self.cursor - 1, 0))
        case "H", "1~", "7~": return self.move(to: 0)
        case "F", "4~", "8~": return self.move(to: self.text.count)
        case "3~": return self.remove(self.cursor..<min(self.cursor + 1, self.text.count))
        default: return .nothing
        }
    }
}

// MARK: - What a key does

extension TypedLine {
    private mutating func insert(_ character: Character) -> Outcome {
        guard self.text.count < Self.maximumCharacters else { return .nothing }
        // A mark over the letter before it becomes one character with that.
        if self.cursor > 0 {
            let joined = String(self.text[self.cursor - 1]) + String(character)
            if joined.count == 1, let one = joined.first {
                self.text[self.cursor - 1] = one
                return .changed
            }
        }
        self.text.insert(character, at: self.cursor)
        self.cursor += 1
        return .changed
    }

    private mutating func remove(_ range: Range<Int>) -> Outcome {
        self.text.removeSubrange(range)
        self.cursor = range.lowerBound
        return .changed
    }

    private mutating func move(to place: Int) -> Outcome {
        self.cursor = place
        return .changed
    }

    private mutating func takeLine() -> Outcome {
        let line = String(self.text)
        (self.text, self.cursor) = ([], 0)
        return .line(line)
    }

    private var startOfWord: Int {
        var start = self.cursor
        while start > 0, self.text[start - 1] == " " { start -= 1 }
        while start > 0, self.text[start - 1] != " " { start -= 1 }
        return start
    }
}

// MARK: - On the screen

extension TypedLine {
    /// As much as fits, with the cursor in it, and how many columns the cursor stands before the end.
    func shown(columns: Int) -> (text: String, back: Int) {
        let width = max(1, columns)
        var (start, used) = (self.cursor, 0)
        while start > 0, used + Self.columns(of: self.text[start - 1]) <= width {
            start -= 1
            used += Self.columns(of: self.text[start])
        }
        var (end, back) = (self.cursor, 0)
        while end < self.text.count, used + back + Self.columns(of: self.text[end]) <= width {
            back += Self.columns(of: self.text[end])
            end += 1
        }
        return (String(self.text[start..<end]), back)
    }

    /// Ideographs, Hangul and emoji take two.
    static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
