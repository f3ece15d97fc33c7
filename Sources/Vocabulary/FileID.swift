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

    /// One that begins as the name of the node does on whose disk it is written.
    package static func drawn(
        taggedBy node: RandomToken?, using random: inout some RandomNumberGenerator
    ) -> FileID {
        FileID(node.map { RandomToken(taggedBy: $0, using: &random) } ?? RandomToken(using: &random))
    }

    package func isTagged(by node: RandomToken) -> Bool { self.token.isTagged(by: node) }

    package var text: String { self.token.text }
}
