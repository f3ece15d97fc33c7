/// A name that is a random token: 20 URL-safe characters, which cannot be guessed.
package protocol RandomName: Hashable, Comparable, Sendable {
    init(_ token: RandomToken)
    var token: RandomToken { get }
}

extension RandomName {
    package init(using random: inout some RandomNumberGenerator) {
        self.init(RandomToken(using: &random))
    }

    package init?(_ text: String) {
        guard let token = RandomToken(text) else { return nil }
        self.init(token)
    }

    package var text: String { self.token.text }

    package static func < (left: Self, right: Self) -> Bool { left.token < right.token }
}
