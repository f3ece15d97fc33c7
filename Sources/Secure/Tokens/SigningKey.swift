internal import Hashing

/// A key that signs and checks tokens with one algorithm and no other.
///
/// The algorithm belongs to the key, never to the token, so a token cannot choose how it is checked.
package struct SigningKey: Sendable {
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case hs256 = "HS256"
        case edDSA = "EdDSA"
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    private enum Material: Sendable {
        case shared(HMACKey)
        case ed25519(Ed25519Key)
        case p256(P256Key)
        case rsa(RSAKey)
    }

    /// What tokens call it (`kid`).
    package let id: String
    private let material: Material

    /// HMAC with SHA-256: who can check can also sign.
    package init(id: String, sharedSecret secret: [UInt8]) throws(SecretWeakness) {
        if let weakness = SecretWeakness.found(in: secret) { throw weakness }
        self.id = id
        self.material = .shared(HMACKey(secret, using: .sha256))
    }

    package init(id: String, derivedFrom secret: [UInt8], for purpose: String) {
        self.id = id
        self.material = .shared(HMACKey(HMAC.code(of: purpose, key: secret), using: .sha256))
    }

    package init(id: String, _ pair: Ed25519Key) {
        self.id = id
        self.material = .ed25519(pair)
    }

    package init(id: String, _ pair: P256Key) {
        self.id = id
        self.material = .p256(pair)
    }

    package init(id: String, _ pair: RSAKey) {
        self.id = id
        self.material = .rsa(pair)
    }

    package var algorithm: Algorithm {
        switch self.material {
        case .shared: .hs256
        case .ed25519: .edDSA
        case .p256: .es256
        case .rsa: .rs256
        }
    }

    package func signature(of message: [UInt8]) throws(SecureError) -> [UInt8] {
        switch self.material {
        case .shared(let key): key.code(of: message)
        case .ed25519(let pair): try pair.signature(of: message)
        case .p256(let pair): try pair.signature(of: message)
        case .rsa(let pair): try pair.signature(of: message)
        }
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch self.material {
        case .shared(let key): ConstantTime.areEqual(key.code(of: message), signature)
        case .ed25519(let pair): pair.isValid(signature, of: message)
        case .p256(let pair): pair.isValid(signature, of: message)
        case .rsa(let pair): pair.isValid(signature, of: message)
        }
    }
}
