internal import Bytes
internal import JSON

/// What a token says (RFC 7519 §4). Times are whole seconds since 1970.
package struct TokenClaims: Hashable, Sendable {
    package var issuer: String?
    package var subject: String?
    package var audience: [String]
    package var expiry: Int64?
    package var notBefore: Int64?
    package var issuedAt: Int64?
    package var tokenID: String?
    /// Every other claim that is a text. Claims of other kinds mean nothing to us.
    package var texts: [String: String]

    package init(
        issuer: String? = nil, subject: String? = nil, audience: [String] = [], expiry: Int64? = nil,
        notBefore: Int64? = nil, issuedAt: Int64? = nil, tokenID: String? = nil, texts: [String: String] = [:]
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.expiry = expiry
        self.notBefore = notBefore
        self.issuedAt = issuedAt
        self.tokenID = tokenID
        self.texts = texts
    }
}

// MARK: - Reading

extension TokenClaims {
    private static let registered: Set = ["iss", "sub", "jti", "aud", "exp", "nbf", "iat"]

    init(parsing bytes: [UInt8]) throws(TokenRefusal) {
        self.init()
        let claims = try JSONObject(token: bytes.span)
        self.issuer = try claims.claim("iss", .text)
        self.subject = try claims.claim("sub", .text)
        self.tokenID = try claims.claim("jti", .text)
        self.audience = try claims.claim("aud", JSONType.text.oneOrMore) ?? []
        self.expiry = try claims.claim("exp", .seconds)
        self.notBefore = try claims.claim("nbf", .seconds)
        self.issuedAt = try claims.claim("iat", .seconds)
        for member in claims.members {
            let name = claims.name(of: member)
            if !Self.registered.contains(name) { self.texts[name] = claims.reader.string(member.value) }
        }
    }
}

// MARK: - Writing

extension TokenClaims {
    var json: [UInt8] {
        JSONWriter.object { json in
            self.writeRegistered(to: &json)
            for (name, text) in self.texts.sorted(by: { $0.key < $1.key }) { json.field(name, text) }
        }
    }

    private func writeRegistered(to json: inout JSONWriter) {
        json.members([("iss", self.issuer), ("sub", self.subject), ("jti", self.tokenID)])
        json.optional("iat", self.issuedAt)
        json.optional("nbf", self.notBefore)
        json.optional("exp", self.expiry)
        switch self.audience.count {
        case 0: break
        case 1: json.field("aud", self.audience[0])
        default: json.array("aud", of: self.audience) { $0.string($1) }
        }
    }
}
