/// Names one message, in its sender's words or in ours: 1 to 64 of the characters of a `UserID` (a UUID fits).
package struct MessageID: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.name) else { return nil }
        self.text = text
    }
}
