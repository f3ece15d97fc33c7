internal import Bytes
internal import COpenSSL

/// A key pair of the curve P-256, or only its public half; signatures are those of ES256 (RFC 7518 §3.4).
package struct P256Key: Sendable {
    private let key: KeyHandle
    package let canSign: Bool
    /// The public half, uncompressed: what VAPID calls the application server's key.
    package let publicPoint: [UInt8]

    package static let pointLength = 65
    package static let coordinateLength = 32
    package static let signatureLength = 64
    private static let maximumEncodedLength = 72

    /// A new one.
    package init() throws(SecureError) {
        try self.init(unsafe KeyHandle(owning: parley_p256_key()), canSign: true, "making")
    }

    /// - Parameter pem: as `openssl genpkey` writes it, or Apple's `.p8`.
    package init(pem: [UInt8]) throws(SecureError) {
        try self.init(try KeyHandle(pem: pem, "a P-256"), canSign: true, "reading")
    }

    /// - Parameter publicPoint: 65 bytes, of which the first is 4.
    package init(publicPoint: [UInt8]) throws(SecureError) {
        guard publicPoint.count == Self.pointLength, publicPoint[0] == 4 else {
            throw SecureError("reading a P-256 public key", reason: "it is no uncompressed point")
        }
        let key = unsafe KeyHandle(owning: parley_p256_public(publicPoint, publicPoint.count))
        guard let key else { throw SecureError("reading a P-256 public key") }
        (self.key, self.canSign, self.publicPoint) = (key, false, publicPoint)
    }

    /// - Parameter privateNumber: 32 bytes, neither zero nor beyond the curve's order.
    package init(privateNumber: [UInt8]) throws(SecureError) {
        guard privateNumber.count == Self.coordinateLength else {
            throw SecureError("reading a P-256 key", reason: "it must have \(Self.coordinateLength) bytes")
        }
        try self.init(unsafe KeyHandle(owning: parley_p256_private(privateNumber)), canSign: true, "reading")
    }

    private init(_ key: KeyHandle?, canSign: Bool, _ attempt: String) throws(SecureError) {
        guard let key else { throw SecureError("\(attempt) a P-256 key") }
        var point = [UInt8](repeating: 0, count: Self.pointLength)
        guard unsafe parley_is_p256(key.handle) == 1, unsafe parley_p256_point(key.handle, &point) == 1 else {
            throw SecureError("\(attempt) a P-256 key", reason: "this is a key of another kind")
        }
        (self.key, self.canSign, self.publicPoint) = (key, canSign, point)
    }

    /// For OpenSSL, as long as this is there.
    var handle: OpaquePointer { unsafe self.key.handle }

    /// The pair, for a file that only its owner reads.
    package var pem: [UInt8] {
        get throws(SecureError) {
            guard self.canSign else { throw SecureError("writing a key", reason: "there is only the public key") }
            return try unsafe PEMText.bytes("writing a key") { target in
                unsafe PEM_write_bio_PrivateKey(target, self.key.handle, nil, nil, 0, nil, nil) == 1
            }
        }
    }

    /// What both can compute and nobody else: 32 bytes (ECDH).
    func agree(with other: P256Key) throws(SecureError) -> [UInt8] {
        var shared = [UInt8](repeating: 0, count: Self.coordinateLength)
        guard self.canSign, unsafe parley_p256_agree(self.key.handle, other.key.handle, &shared) == 1 else {
            throw SecureError("agreeing on a secret with P-256")
        }
        return shared
    }

    package func signature(of message: [UInt8]) throws(SecureError) -> [UInt8] {
        guard self.canSign else { throw SecureError("signing", reason: "there is only the public key") }
        let encoded = try unsafe self.key.signature(
            of: message, EVP_sha256(), maximumLength: Self.maximumEncodedLength, "P-256")
        var signature = [UInt8](repeating: 0, count: Self.signatureLength)
        guard unsafe parley_ecdsa_from_der(encoded, encoded.count, &signature) == 1 else {
            throw SecureError("signing with P-256")
        }
        return signature
    }

    /// A JSON Web Token signed by ES256 (RFC 7515 §3.1).
    func webToken(_ header: [UInt8], _ claims: [UInt8]) throws(SecureError) -> String {
        let signed = "\(Base64.encode(header, as: .url)).\(Base64.encode(claims, as: .url))"
        return "\(signed).\(Base64.encode(try self.signature(of: Array(signed.utf8)), as: .url))"
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == Self.signatureLength else { return false }
        var encoded = [UInt8](repeating: 0, count: Self.maximumEncodedLength)
        let count = unsafe Int(parley_ecdsa_to_der(signature, &encoded))
        return count > 0 && (unsafe self.key.isValid(Array(encoded.prefix(count)), of: message, EVP_sha256()))
    }
}
