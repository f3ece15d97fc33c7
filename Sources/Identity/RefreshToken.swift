internal import Hashing
internal import Vocabulary

/// The text that gets a new access token, once: 40 characters.
///
/// The first half finds its family, the second half is the secret; only a hash of that is ever stored.
struct RefreshToken: Hashable, Sendable {
    let family: RandomToken
    private let secret: RandomToken

    /// A fresh one.
    init(family: RandomToken) {
        self.family = family
        self.secret = .drawn()
    }

    init?(_ text: String) {
        let letters = text.utf8.span
        guard letters.count == RandomToken.length * 2,
            let family = RandomToken(letters.extracting(first: RandomToken.length)),
            let secret = RandomToken(letters.extracting(last: RandomToken.length))
        else { return nil }
        self.family = family
        self.secret = secret
    }

    var text: String { self.family.text + self.secret.text }
    var hash: [UInt8] { Digest.sha256.hash(self.secret.bytes) }
}

extension RandomToken {
    /// An unguessable one.
    static func drawn() -> RandomToken {
        var random = SecureRandom()
        return RandomToken(using: &random)
    }

    static func drawn(taggedBy owner: RandomToken) -> RandomToken {
        var random = SecureRandom()
        return RandomToken(taggedBy: owner, using: &random)
    }
}
