/// Names one user for good: 1 to 64 ASCII letters, digits and `_ - . @ : + =`. Letters keep their case.
package struct UserID: Hashable, Comparable, Sendable {
    package let text: String

    package static let maximumLength = 64

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.name) else { return nil }
        self.text = text
    }
}

extension UserID {
    /// A new and unguessable one.
    package init(_ token: RandomToken) {
        // The 64 characters of a token are all among those of a user id.
        self.text = token.text
    }

    package static func < (left: UserID, right: UserID) -> Bool { left.text < right.text }
}
