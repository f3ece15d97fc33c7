/// Names one device of a user, chosen by its client: 1 to 64 of the characters of a `UserID`.
package struct DeviceID: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    /// The device of a client that does not tell one from another.
    package static let main = DeviceID(proven: "main")

    private init(proven text: String) { self.text = text }

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.name) else { return nil }
        self.text = text
    }
}
