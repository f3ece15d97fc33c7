/// Names one file that was uploaded, or is being uploaded. It cannot be guessed.
package struct FileID: Hashable, Sendable {
    private let token: RandomToken

    package init(_ token: RandomToken) { self.token = token }

    package init?(_ text: String) {
        guard let token = RandomToken(text) else { return nil }
        self.token = token
    }

    package static func drawn(using random: inout some RandomNumberGenerator) -> FileID {
        FileID(RandomToken(using: &random))
    }

    package var text: String { self.token.text }
}
