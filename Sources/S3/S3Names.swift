package import Vocabulary

/// What contents are called in a bucket. Nothing that a client chose is in these names.
package struct S3Names: Hashable, Sendable {
    private let start: String

    private static let smallEnding = "-small"

    package init(in address: S3Address) { self.start = address.prefix.isEmpty ? "" : "\(address.prefix)/" }

    package func key(of hash: ContentHash, isSmall: Bool = false) -> String {
        "\(self.start)\(hash.text.prefix(2))/\(hash.text.dropFirst(2))\(isSmall ? Self.smallEnding : "")"
    }

    /// What the names of all begin with whose hash begins with this byte.
    package func start(ofFolder number: Int) -> String {
        let digits = String(number, radix: 16)
        return "\(self.start)\(digits.count < 2 ? "0" : "")\(digits)/"
    }

    /// What the names of all that is ours begin with.
    package var startOfAll: String { self.start }

    /// Nil for what is not ours, and for small pictures, which go with the large ones.
    package func hash(of key: String) -> ContentHash? {
        guard key.hasPrefix(self.start) else { return nil }
        let parts = key.dropFirst(self.start.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 2 else { return nil }
        return ContentHash("\(parts[0])\(parts[1])")
    }
}
