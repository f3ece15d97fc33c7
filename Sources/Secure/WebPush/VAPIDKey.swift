internal import Bytes
internal import Hashing
internal import JSON
package import Vocabulary

/// By which push services know this server (RFC 8292). A browser's subscription is for one key: with another key it would
/// have to be asked again.
package struct VAPIDKey: Sendable {
    private let key: P256Key
    /// How a push service reaches the people behind this server: `mailto:` or `https:`.
    private let contact: String

    package static let tokenLife = Duration.seconds(12 * 3600)

    /// The same key for the same secret, so there is nothing else to keep.
    package init(derivedFrom secret: [UInt8], contact: String) throws(SecureError) {
        var attempt: UInt8 = 0
        while true {
            // One number in four billion is none of the curve's.
            let number = HMAC.code(of: Array("vapid".utf8) + [attempt], key: secret)
            do throws(SecureError) {
                self.key = try P256Key(privateNumber: number)
                break
            } catch {
                guard attempt < 8 else { throw error }
                attempt += 1
            }
        }
        self.contact = contact
    }

    /// What a page passes on as `applicationServerKey`.
    package var publicText: String { Base64.encode(self.key.publicPoint, as: .url) }

    /// Good for half a day, at one push service.
    ///
    /// - Parameter origin: scheme, host and port of the endpoint.
    package func token(for origin: String, at now: WallTime) throws(SecureError) -> Token {
        let expiry = now + Self.tokenLife
        let header = Array(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
        let claims = JSONWriter.object { json in
            json.field("aud", origin)
            json.field("exp", Int(expiry.seconds))
            json.field("sub", self.contact)
        }
        let text = try self.key.webToken(header, claims)
        return Token(field: "vapid t=\(text),k=\(self.publicText)", expiry: expiry)
    }

    package struct Token: Hashable, Sendable {
        /// The field `Authorization`. Without a blank behind the comma, which some services do not expect.
        package let field: String
        package let expiry: WallTime
    }
}
