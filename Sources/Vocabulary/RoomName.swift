/// A room's name: 1 to 64 bytes of lowercase letters, digits and dashes.
package struct RoomName: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    package init?(_ text: String) {
        guard Letters.fill(text, upTo: Self.maximumLength, with: Letters.room) else { return nil }
        self.text = text
    }
}
