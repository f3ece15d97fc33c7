internal import Bytes
internal import Hashing
internal import JSON
package import Secure

/// By which an authority knows this server: it signs every request (RFC 8555 §6.2).
package struct ACMEAccountKey: Sendable {
    private let key: P256Key

    package init(_ key: P256Key) { self.key = key }

    /// A flattened JSON Web Signature (RFC 7515).
    ///
    /// - Parameters:
    ///   - payload: nil for a question (POST-as-GET).
    ///   - account: nil while the authority does not know the key: then the key itself goes along.
    func signed(
        _ payload: [UInt8]?, to url: String, nonce: String, account: String?
    ) throws(SecureError) -> [UInt8] {
        let head = JSONWriter.object { json in
            json.field("alg", "ES256")
            json.field("nonce", nonce)
            json.field("url", url)
            if let account { json.field("kid", account) } else { json.field("jwk", raw: self.jsonWebKey) }
        }
        let (protected, body) = (Base64.encode(head, as: .url), Base64.encode(payload ?? [], as: .url))
        let signature = try self.key.signature(of: Array("\(protected).\(body)".utf8))
        return JSONWriter.object { json in
            json.field("protected", protected)
            json.field("payload", body)
            json.field("signature", Base64.encode(signature, as: .url))
        }
    }

    /// What answers a challenge with this token (§8.1).
    func authorization(for token: String) -> String { "\(token).\(self.thumbprint)" }

    /// RFC 7638.
    private var thumbprint: String { Base64.encode(Digest.sha256.hash(self.jsonWebKey), as: .url) }

    /// Without anything that might be left out, in the order of the alphabet: its hash is the thumbprint.
    private var jsonWebKey: [UInt8] {
        let point = self.key.publicPoint.dropFirst()
        return JSONWriter.object { json in
            json.field("crv", "P-256")
            json.field("kty", "EC")
            json.field("x", Base64.encode(point.prefix(P256Key.coordinateLength), as: .url))
            json.field("y", Base64.encode(point.suffix(P256Key.coordinateLength), as: .url))
        }
    }
}
