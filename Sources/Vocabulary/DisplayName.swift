/// What people read: 1 to 64 characters in any script, with single spaces between its words and none at its ends.
///
/// It holds nothing that is not seen (`VisibleText`): no control characters, no line breaks, none of the marks that turn the
/// direction of the text around it; and no word of mixed alphabets. So a name cannot dress up as another user's.
package struct DisplayName: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64
    /// One character may carry any number of accents; this bounds them all.
    package static let maximumBytes = 512

    /// A user of whom nothing is known that can be shown.
    package static let nobody = DisplayName(proven: "nobody")
    /// A user whose account is gone.
    package static let deletedUser = DisplayName(proven: "Deleted user")

    private init(proven text: String) { self.text = text }

    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        if Self.isPlain(text) {
            self.text = text
            return
        }
        let trimmed = Self.trimmed(text)
        guard (1...Self.maximumLength).contains(trimmed.count), VisibleText.holds(trimmed) else { return nil }
        self.text = Self.evened(trimmed)
    }

    /// Most names are words of ASCII with single spaces between them: nothing in those has to be looked up.
    private static func isPlain(_ text: String) -> Bool {
        var last = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard byte > 0x20 ? byte < 0x7F : byte == 0x20 && last != 0x20 else { return false }
            last = byte
        }
        return last != 0x20 && text.utf8.count <= Self.maximumLength
    }

    /// However wide a gap is, it is one space, so that two names that look alike are alike (RFC 8266 §2.3).
    private static func evened(_ text: Substring) -> String {
        guard text.contains(where: { $0.isWhitespace }) else { return String(text) }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
