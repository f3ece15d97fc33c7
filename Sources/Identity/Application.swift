internal import Hashing
package import Secure

/// Of which users and orders an application may speak: those whose ids begin so, without those that are the server's own.
package struct ApplicationRealm: Hashable, Sendable {
    /// Empty where there is one application and no need to tell them apart.
    package var prefix = ""
    /// Beginnings of ids that only the server uses.
    package var reserved: [String] = []

    package init() {}

    func holds(_ id: String) -> Bool { id.hasPrefix(self.prefix) && !self.reserved.contains { id.hasPrefix($0) } }
}

/// A program on another server that may vouch for users: it signs tokens itself, or asks us for them.
package struct Application: Sendable {
    /// The name of its key (`kid`).
    package let id: String
    let key: SigningKey
    package var realm = ApplicationRealm()
    private let secret: [UInt8]?

    package init(id: String, secret: String) throws(SecretWeakness) {
        self.id = id
        self.secret = Array(secret.utf8)
        self.key = try SigningKey(id: id, sharedSecret: Array(secret.utf8))
    }

    /// One that keeps its private key to itself and signs its users' tokens.
    package init(id: String, publicKey: Ed25519Key) {
        self.id = id
        self.secret = nil
        self.key = SigningKey(id: id, publicKey)
    }

    /// The same with a key pair of P-256, whose tokens are signed by ES256.
    package init(id: String, publicKey: P256Key) {
        self.id = id
        self.secret = nil
        self.key = SigningKey(id: id, publicKey)
    }

    func isSecret(_ text: String) -> Bool {
        guard let secret = self.secret else { return false }
        return ConstantTime.areEqual(secret, Array(text.utf8))
    }
}
