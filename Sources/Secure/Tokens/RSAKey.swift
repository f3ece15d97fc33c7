internal import COpenSSL

/// A key pair of RSA, or only its public half; signatures are those of RS256 (RFC 7518 §3.3).
package struct RSAKey: Sendable {
    private let key: KeyHandle
    package let canSign: Bool
    private let signatureLength: Int

    /// In bytes. Shorter numbers can be taken apart; longer ones only keep whoever checks with them busy.
    package static let modulusLengths = 256...1024
    package static let maximumExponentLength = 4

    /// - Parameter pem: as `openssl genpkey` writes it, or a service account's `private_key`.
    package init(pem: [UInt8]) throws(SecureError) {
        try self.init(try KeyHandle(pem: pem, "an RSA"), canSign: true)
    }

    /// Big-endian numbers without leading zeros (`n` and `e` in a JWK).
    package init(modulus: [UInt8], exponent: [UInt8]) throws(SecureError) {
        guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= Self.maximumExponentLength,
            modulus.first != 0, modulus.count <= Self.modulusLengths.upperBound
        else { throw SecureError("reading an RSA public key", reason: "its numbers are none of RSA") }
        let key = unsafe KeyHandle(owning: parley_rsa_public(modulus, modulus.count, exponent, exponent.count))
        try self.init(key, canSign: false)
    }

    private init(_ key: KeyHandle?, canSign: Bool) throws(SecureError) {
        guard let key, unsafe parley_is_rsa(key.handle) == 1 else {
            throw SecureError("reading an RSA key", reason: "this is a key of another kind")
        }
        let length = unsafe Int(EVP_PKEY_get_size(key.handle))
        guard Self.modulusLengths.contains(length) else {
            throw SecureError("reading an RSA key", reason: "it has \(length * 8) bits, not 2048 to 8192")
        }
        (self.key, self.canSign, self.signatureLength) = (key, canSign, length)
    }

    package func signature(of message: [UInt8]) throws(SecureError) -> [UInt8] {
        guard self.canSign else { throw SecureError("signing", reason: "there is only the public key") }
        return try unsafe self.key.signature(of: message, EVP_sha256(), maximumLength: self.signatureLength, "RSA")
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        signature.count == self.signatureLength && (unsafe self.key.isValid(signature, of: message, EVP_sha256()))
    }
}
