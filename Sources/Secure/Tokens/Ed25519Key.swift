internal import COpenSSL

/// A key pair of Ed25519 (RFC 8032), or only its public half.
@safe package final class Ed25519Key: @unchecked Sendable {
    // Unchecked because the key is only read once it is made.
    private let handle: OpaquePointer
    package let canSign: Bool

    package static let keyLength = 32
    package static let signatureLength = 64

    /// - Parameter seed: the 32 random bytes everything follows from (`d` in a JWK).
    package init(seed: [UInt8]) throws(SecureError) {
        let handle = unsafe EVP_PKEY_new_raw_private_key(NID_ED25519, nil, seed, seed.count)
        guard seed.count == Self.keyLength, let handle = unsafe handle else {
            throw SecureError("reading an Ed25519 key")
        }
        unsafe self.handle = handle
        self.canSign = true
    }

    /// - Parameter publicKey: 32 bytes (`x` in a JWK).
    package init(publicKey: [UInt8]) throws(SecureError) {
        let handle = unsafe EVP_PKEY_new_raw_public_key(NID_ED25519, nil, publicKey, publicKey.count)
        guard publicKey.count == Self.keyLength, let handle = unsafe handle else {
            throw SecureError("reading an Ed25519 public key")
        }
        unsafe self.handle = handle
        self.canSign = false
    }

    deinit {
        unsafe EVP_PKEY_free(self.handle)
    }

    package func signature(of message: [UInt8]) throws(SecureError) -> [UInt8] {
        guard self.canSign else { throw SecureError("signing", reason: "there is only the public key") }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Self.signatureLength)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, self.handle) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw SecureError("signing with Ed25519") }
        return signature
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength else { return false }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, self.handle) == 1 else { return false }
        let code = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // A refusal leaves words in the thread's queue that would be taken for the next error's.
        if code != 1 { ERR_clear_error() }
        return code == 1
    }
}
