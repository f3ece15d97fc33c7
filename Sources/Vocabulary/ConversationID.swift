/// Names one conversation: 1 to 64 of the characters of a `UserID`. Those that were drawn are 20 random characters.
package struct ConversationID: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.name) else { return nil }
        self.text = text
    }

    /// A new and unguessable one.
    package init(_ token: RandomToken) {
        // The 64 characters of a token are all among those of an id.
        self.text = token.text
    }
}
