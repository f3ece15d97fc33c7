/// The one seat, in a room or in a call, that credentials for a relay are good for. Its name tells nobody which.
package struct RelaySeat: Hashable, Sendable {
    package let text: String

    /// Between a user and this in the name of credentials; no user's id has it.
    package static let separator: Character = "~"

    package init(_ token: RandomToken) { self.text = token.text }

    package init(text: String) { self.text = text }
}
