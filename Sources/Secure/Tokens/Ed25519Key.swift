internal import COpenSSL

/// A key pair of Ed25519 (RFC 8032), or only its public half.
package struct Ed25519Key: Sendable {
    private let key: KeyHandle
    package let canSign: Bool

    package static let keyLength = 32
    package static let signatureLength = 64

    /// - Parameter seed: the 32 random bytes everything follows from (`d` in a JWK).
    package init(seed: [UInt8]) throws(SecureError) {
        let made = unsafe KeyHandle(owning: EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count))
        guard seed.count == Self.keyLength, let made else { throw SecureError("reading an Ed25519 key") }
        self.key = made
        self.canSign = true
    }

    /// - Parameter publicKey: 32 bytes (`x` in a JWK).
    package init(publicKey: [UInt8]) throws(SecureError) {
        let made = unsafe KeyHandle(owning: EVP_PKEY_new_raw_public_key(NID_ED25519, nil, publicKey, publicKey.count))
        guard publicKey.count == Self.keyLength, let made else { throw SecureError("reading an Ed25519 public key") }
        self.key = made
        self.canSign = false
    }

    package func signature(of message: [UInt8]) throws(SecureError) -> [UInt8] {
        guard self.canSign else { throw SecureError("signing", reason: "there is only the public key") }
        return try unsafe self.key.signature(of: message, nil, maximumLength: Self.signatureLength, "Ed25519")
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        signature.count == Self.signatureLength && (unsafe self.key.isValid(signature, of: message, nil))
    }
}
