/// A stranger's text as a terminal may show it: nothing in it moves the cursor, colours what follows, sets a title or turns
/// the direction of the text around it.
package enum PlainText {
    /// As much of a name, a reason or an error of a server's as people read.
    package static let maximumCharacters = 300

    /// - Parameter keepsLines: line breaks stay, as in a message. What has to be one line has none.
    package static func of(_ text: String, keepsLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: self.steers) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isPlain = !self.steers(scalar) || keepsLines && scalar == "\n"
            plain.append(isPlain ? scalar : "\u{FFFD}")
        }
        return String(plain)
    }

    /// One line that is no longer than people read.
    package static func line(_ text: String) -> String {
        let start = text.prefix(self.maximumCharacters)
        return self.of(String(start)) + (start.endIndex < text.endIndex ? "…" : "")
    }

    /// JSON on one line, with escapes for what steers a terminal: the same value, in other bytes.
    ///
    /// - Parameter text: it was proven to be JSON, so that what is no space between values stands in strings.
    package static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: self.steers) else { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" {
                line += " "
            } else if self.steers(scalar) {
                for unit in String(scalar).utf16 { line += self.escape(unit) }
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Controls of ASCII and of ISO 6429 (C1), other line breaks, and marks of direction (Unicode Annex 9).
    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
