internal import Bytes
internal import Hashing
internal import JSON

/// A token as it came: taken apart, but not believed yet (RFC 7515 §3.1, RFC 7519). A `TokenVerifier` does that.
package struct JSONWebToken: Hashable, Sendable {
    /// Far more than any of ours needs.
    package static let maximumLength = 4096

    package let algorithm: SigningKey.Algorithm
    package let keyID: String?
    package let type: String?
    /// Not to be believed before the signature was checked.
    let payload: [UInt8]
    private let signature: [UInt8]
    private let signed: [UInt8]

    package init(parsing text: String, maximumLength: Int = Self.maximumLength) throws(TokenRefusal) {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        let parts = Array(text.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // "alg none" tokens have an empty third part; whatever else they claim, they are refused here or below.
        guard parts.count == 3 else { throw .malformed }
        let headerBytes = try Self.decode(parts[0])
        let header = try JSONObject(token: headerBytes.span)
        self.algorithm = try Self.algorithm(of: header)
        try Self.refuseUnknown(header)
        self.keyID = try header.claim("kid", .text)
        self.type = try header.claim("typ", .text)
        self.payload = try Self.decode(parts[1])
        self.signature = try Self.decode(parts[2])
        self.signed = Array(parts[0]) + [UInt8(ascii: ".")] + parts[1]
    }

    package func isSigned(by key: SigningKey) -> Bool {
        key.algorithm == self.algorithm && key.isValid(self.signature, of: self.signed)
    }

    private static func decode(_ part: ArraySlice<UInt8>) throws(TokenRefusal) -> [UInt8] {
        guard let bytes = try? Base64.decode(Array(part), as: .url) else { throw .malformed }
        return bytes
    }

    private static func algorithm(of header: borrowing JSONObject) throws(TokenRefusal) -> SigningKey.Algorithm {
        guard let name = try header.claim("alg", .text) else { throw .malformed }
        guard let algorithm = SigningKey.Algorithm(rawValue: name) else { throw .unknownAlgorithm }
        return algorithm
    }

    /// A token may not bring or point to the key it is checked with, nor demand what we do not understand.
    private static func refuseUnknown(_ header: borrowing JSONObject) throws(TokenRefusal) {
        for name in ["crit", "b64", "jku", "jwk", "x5u", "x5c", "zip", "enc"] where header.value(name) != nil {
            throw .unknownHeader
        }
    }
}

// MARK: - Making one

extension JSONWebToken {
    /// - Parameter type: what the token is for (RFC 8725 §3.11); checked again by its reader.
    package static func sign(_ claims: TokenClaims, type: String, with key: SigningKey) throws(SecureError) -> String {
        let header = Self.header(type, key)
        let signed = "\(Base64.encode(header, as: .url)).\(Base64.encode(claims.json, as: .url))"
        let signature = try key.signature(of: Array(signed.utf8))
        return "\(signed).\(Base64.encode(signature, as: .url))"
    }

    private static func header(_ type: String, _ key: SigningKey) -> [UInt8] {
        JSONWriter.bytes { $0.fields(("alg", key.algorithm.rawValue), ("kid", key.id), ("typ", type)) }
    }
}

extension JSONWebToken {
    /// The first 15 bytes of a hash over all that is signed.
    var contentHash: String { Base64.encode(Digest.sha256.hash(self.signed).prefix(15), as: .url) }
}
