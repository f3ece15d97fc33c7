/// Names one device of a user, chosen by its client: 1 to 64 of the characters of a `UserID`.
package struct DeviceID: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.name) else { return nil }
        self.text = text
    }
}
