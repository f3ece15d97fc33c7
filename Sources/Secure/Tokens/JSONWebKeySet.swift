internal import Bytes
internal import JSON

/// The public keys that another server signs with (RFC 7517), as it publishes them.
package struct JSONWebKeySet: Sendable {
    package static let maximumBytes = 256 << 10
    package static let maximumKeys = 100

    package enum Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        case tooLong
        case malformed
        case tooManyKeys
        /// Each is of a kind that is not read, too weak, or for something else than signatures.
        case noUsableKey

        package var description: String {
            switch self {
            case .tooLong: "a key set has more than \(JSONWebKeySet.maximumBytes >> 10) KiB"
            case .malformed: "this is no key set: an object with 'keys'"
            case .tooManyKeys: "a key set has more than \(JSONWebKeySet.maximumKeys) keys"
            case .noUsableKey: "no key of the set is a public key for ES256 or for RS256 with at least 2048 bits"
            }
        }
    }

    /// Those that ES256 and RS256 are checked with. What else stands in the set is passed over (RFC 7517 §5).
    package let keys: [SigningKey]

    package init(_ keys: [SigningKey]) { self.keys = keys }

    package init(parsing bytes: [UInt8]) throws(Mistake) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLong }
        guard let set = try? JSONObject(bytes.span, .init(depth: 8)), let list = set.value("keys"), list.kind == .array
        else { throw .malformed }
        var (keys, count): ([SigningKey], Int) = ([], 0)
        var elements = set.reader.elements(of: list)
        while let element = elements.next() {
            count += 1
            guard count <= Self.maximumKeys else { throw .tooManyKeys }
            if let key = SigningKey(jwk: JSONObject(found: element, in: set.reader)) { keys.append(key) }
        }
        guard !keys.isEmpty else { throw .noUsableKey }
        self.keys = keys
    }

    /// Those that a token may have been signed with. A token that names none may mean any of its algorithm.
    package func candidates(keyID: String?, _ algorithm: SigningKey.Algorithm) -> [SigningKey] {
        self.keys.filter { $0.algorithm == algorithm && (keyID == nil || $0.id == keyID) }
    }
}

extension SigningKey {
    /// Nil for a key of another kind, and for one that is not for signatures.
    init?(jwk: borrowing JSONObject) {
        guard jwk["use", .text] ?? "sig" == "sig" else { return nil }
        let id = jwk["kid", .text] ?? ""
        switch (jwk["kty", .text], jwk["alg", .text]) {
        case ("RSA", nil), ("RSA", "RS256"):
            guard let modulus = jwk["n", .base64url], let exponent = jwk["e", .base64url],
                let key = try? RSAKey(modulus: modulus, exponent: exponent)
            else { return nil }
            self.init(id: id, key)
        case ("EC", nil), ("EC", "ES256"):
            guard jwk["crv", .text] == "P-256", let x = jwk["x", .base64url], let y = jwk["y", .base64url],
                x.count == P256Key.coordinateLength, y.count == P256Key.coordinateLength,
                let key = try? P256Key(publicPoint: [4] + x + y)
            else { return nil }
            self.init(id: id, key)
        default: return nil
        }
    }
}

extension JSONType<[UInt8]> {
    /// Bytes in the alphabet of URLs, without padding.
    fileprivate static var base64url: JSONType {
        JSONType<String>.text.map { try? Base64.decode($0, as: .url) }
    }
}
