import Bytes
import Secure
import Vocabulary

/// Keys, times and tokens that tests agree on.
enum Sample {
    static let now = WallTime(seconds: 1_700_000_000)
    static let secret = Array("k7Jq0v3Rz8XwPtY2mB5nLc9dHs4GfA1e".utf8)
    static let otherSecret = Array("Zx8cV5bN2mQ9wE6rT3yU0iO7pA4sD1fG".utf8)

    static func shared(_ id: String = "main", _ secret: [UInt8] = secret) throws -> SigningKey {
        try SigningKey(id: id, sharedSecret: secret)
    }

    /// The key of RFC 8037 A.1.
    static func pair(_ id: String = "pair") throws -> SigningKey {
        SigningKey(
            id: id, try Ed25519Key(seed: try Base64.decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", as: .url)))
    }

    static func publicKeyBytes() throws -> [UInt8] {
        try Base64.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", as: .url)
    }

    static let rules = TokenVerifier.Rules(
        type: "at+jwt", audience: "parley", issuer: "parley", maximumLifetime: .seconds(3600))

    static func verifier(_ rules: TokenVerifier.Rules = rules) throws -> TokenVerifier {
        TokenVerifier(KeyRing([try self.shared(), try self.pair()]), rules)
    }

    static var claims: TokenClaims {
        TokenClaims(
            issuer: "parley", subject: "alice", audience: ["parley"], expiry: self.now.seconds + 600,
            notBefore: self.now.seconds, issuedAt: self.now.seconds, tokenID: "t-1", texts: ["name": "Ålice 爱"])
    }

    /// A token with any header and payload, signed all the same.
    static func token(header: String, payload: String? = nil, with key: SigningKey) throws -> String {
        let payload = payload ?? #"{"iss":"parley","sub":"alice","aud":"parley","iat":1700000000,"exp":1700000600}"#
        let signed = "\(Base64.encode(Array(header.utf8), as: .url)).\(Base64.encode(Array(payload.utf8), as: .url))"
        return "\(signed).\(Base64.encode(try key.signature(of: Array(signed.utf8)), as: .url))"
    }

    static let header = #"{"alg":"HS256","kid":"main","typ":"at+jwt"}"#
}

extension TokenVerifier {
    /// Why a token is refused at the sample's time, or nil when it is believed.
    func refusal(of token: String, at now: WallTime = Sample.now) -> TokenRefusal? {
        do throws(TokenRefusal) {
            _ = try self.verify(token, at: now)
            return nil
        } catch {
            return error
        }
    }
}
