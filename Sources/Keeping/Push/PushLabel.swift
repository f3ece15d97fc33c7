internal import Bytes
internal import Hashing
package import Vocabulary

/// What a program on another server finds devices by, as an alias or a tag: 1 to 40 bytes of letters, digits, ideographs
/// and `_@!#$&*+=.|`.
package struct PushLabel: Hashable, Sendable {
    package let text: String

    package static let maximumBytes = 40

    package enum Fault: Error, Hashable, Sendable { case empty, wrongLetters, tooLong }

    package init(_ text: String) throws(Fault) {
        guard !text.isEmpty else { throw .empty }
        guard text.unicodeScalars.allSatisfy(Self.allows) else { throw .wrongLetters }
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
        self.text = text
    }

    /// Of a user: their id where that is a legal one, and otherwise one that is derived from it, the same every time.
    package init(of user: UserID) {
        if let label = try? PushLabel(user.text) {
            self = label
        } else {
            let hash = Hex.encode(Digest.sha256.hash(Array(user.text.utf8)))
            self.text = "u." + String(hash.prefix(Self.maximumBytes - 2))
        }
    }

    private static let signs = Set("_@!#$&*+=.|".unicodeScalars)

    private static func allows(_ letter: Unicode.Scalar) -> Bool {
        switch letter {
        case "a"..."z", "A"..."Z", "0"..."9": true
        // The ideographs of Unicode's first plane that one writes with.
        case "\u{3400}"..."\u{4DBF}", "\u{4E00}"..."\u{9FFF}": true
        default: self.signs.contains(letter)
        }
    }
}
