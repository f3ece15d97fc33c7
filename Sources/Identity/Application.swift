internal import Hashing
package import Secure

/// A program on another server that may vouch for users: it signs tokens itself, or asks us for them.
package struct Application: Sendable {
    /// The name of its key (`kid`).
    package let id: String
    let key: SigningKey
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

    func isSecret(_ text: String) -> Bool {
        guard let secret = self.secret else { return false }
        return ConstantTime.areEqual(secret, Array(text.utf8))
    }
}
