/// Names one Engine.IO session on the wire (`sid`): 20 URL-safe characters, random.
package struct SessionID: Hashable, Sendable {
    package let token: RandomToken

    package init(using random: inout some RandomNumberGenerator) {
        self.token = RandomToken(using: &random)
    }

    package init?(_ text: String) {
        guard let token = RandomToken(text) else { return nil }
        self.token = token
    }

    package var text: String { self.token.text }
}
