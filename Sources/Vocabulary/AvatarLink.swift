/// Where a user's picture is: a web address or a path on this server, 1 to 1024 bytes.
///
/// Pages put it into `src`, so it names no other scheme and holds nothing that could end an attribute.
package struct AvatarLink: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 1024

    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed),
            Self.hasGoodScheme(text)
        else { return nil }
        self.text = text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && !"\"'<>\\`".utf8.contains(byte)
    }

    /// A colon before the first slash, question mark or number sign ends a scheme (RFC 3986 §4.2).
    private static func hasGoodScheme(_ text: String) -> Bool {
        let start = text.prefix { !"/?#".contains($0) }
        guard let colon = start.firstIndex(of: ":") else { return !text.hasPrefix("//") }
        return ["http", "https"].contains(start[..<colon].lowercased()) && text[colon...].hasPrefix("://")
    }
}
