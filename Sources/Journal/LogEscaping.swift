extension Unicode.Scalar {
    /// What could end a line, move a cursor or turn the reading direction around.
    fileprivate var isUnprintable: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: #"\u{\#(String(self.value, radix: 16))}"#
        }
    }
}

extension String {
    /// How much of one text a line shows, in bytes; a stranger may send much more.
    private static let limit = 1024

    private var shortened: String {
        guard self.utf8.count > Self.limit else { return self }
        var kept = String.UnicodeScalarView()
        var size = 0
        for scalar in self.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= Self.limit else { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    /// The text without anything that a terminal would obey.
    var printable: String {
        guard self.unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return self.unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnprintable { text += scalar.escaped } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// One word as it is, everything else in quotes, so that no value can pretend to be a field.
    var quotedWhenNeeded: String {
        let text = self.shortened
        let isWord = !text.isEmpty && text.unicodeScalars.allSatisfy { !$0.needsQuotes }
        guard !isWord else { return text }
        let inner = text.unicodeScalars.reduce(into: "") { inner, scalar in
            if scalar == "\"" || scalar == "\\" { inner += "\\" }
            if scalar.isUnprintable { inner += scalar.escaped } else { inner.unicodeScalars.append(scalar) }
        }
        return "\"\(inner)\""
    }

    /// A JSON string (RFC 8259 §7), printable too: what is not is written as UTF-16 escapes.
    var asJSON: String {
        let inner = self.shortened.unicodeScalars.reduce(into: "") { inner, scalar in
            switch scalar {
            case "\"": inner += #"\""#
            case "\\": inner += #"\\"#
            case "\n": inner += #"\n"#
            case "\r": inner += #"\r"#
            case "\t": inner += #"\t"#
            case _ where scalar.isUnprintable: String(scalar).utf16.forEach { inner += $0.escapedForJSON }
            default: inner.unicodeScalars.append(scalar)
            }
        }
        return "\"\(inner)\""
    }
}

extension Unicode.Scalar {
    fileprivate var needsQuotes: Bool {
        self == " " || self == "\"" || self == "\\" || self == "=" || self.properties.isWhitespace || self.isUnprintable
    }
}

extension UInt16 {
    fileprivate var escapedForJSON: String {
        let digits = String(self, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
