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
    init(parsing bytes: [UInt8]) throws(TokenRefusal) {
        self.init()
        let members = try TokenMembers(parsing: bytes)
        for (name, value) in members.values {
            switch name {
            case "iss": self.issuer = try value.text()
            case "sub": self.subject = try value.text()
            case "jti": self.tokenID = try value.text()
            case "aud": self.audience = try value.texts()
            case "exp": self.expiry = try value.seconds()
            case "nbf": self.notBefore = try value.seconds()
            case "iat": self.issuedAt = try value.seconds()
            default: if case .text(let text) = value { self.texts[name] = text }
            }
        }
    }
}

// MARK: - Writing

extension TokenClaims {
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            self.writeRegistered(to: &json)
            for (name, text) in self.texts.sorted(by: { $0.key < $1.key }) {
                json.field(name, text)
            }
        }
        return json.bytes
    }

    private func writeRegistered(to json: inout JSONWriter) {
        for case (let name, let text?) in [("iss", self.issuer), ("sub", self.subject), ("jti", self.tokenID)] {
            json.field(name, text)
        }
        for case (let name, let time?) in [("iat", self.issuedAt), ("nbf", self.notBefore), ("exp", self.expiry)] {
            json.field(name, time)
        }
        guard !self.audience.isEmpty else { return }
        json.key("aud")
        if self.audience.count == 1 { return json.string(self.audience[0]) }
        json.array { json in self.audience.forEach { json.string($0) } }
    }
}
