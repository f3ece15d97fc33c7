package import Vocabulary

/// Decides which tokens are believed (RFC 8725): signed by a key of ours with that key's algorithm, made for this
/// purpose and this service, and good right now.
///
/// It computes and reads nothing from anywhere, so a loop may ask it.
package struct TokenVerifier: Sendable {
    package struct Rules: Hashable, Sendable {
        /// `typ`; a token without one is refused. Letters of either case, with or without `application/`.
        package var type: String
        /// One of the token's audiences has to be this.
        package var audience: String
        /// When given, `iss` has to be this.
        package var issuer: String?
        /// How far another machine's clock may be ahead of ours: for `nbf` and `iat`.
        package var leeway: Duration = .seconds(5)
        /// How long after its end a token still counts.
        package var expiryLeeway: Duration = .zero
        /// The longest time from issue to expiry that is believed.
        package var maximumLifetime: Duration

        package init(type: String, audience: String, issuer: String? = nil, maximumLifetime: Duration) {
            self.type = type
            self.audience = audience
            self.issuer = issuer
            self.maximumLifetime = maximumLifetime
        }
    }

    private let keys: KeyRing
    private let rules: Rules

    package init(_ keys: KeyRing, _ rules: Rules) {
        self.keys = keys
        self.rules = rules
    }

    /// A token that was believed.
    package struct Verified: Hashable, Sendable {
        package let subject: String
        package let keyID: String
        /// `jti`, or what stands for it in a token without one.
        package let tokenID: String
        package let issuedAt: WallTime
        package let expiry: WallTime
        package let texts: [String: String]
    }

    package func verify(_ text: String, at now: WallTime) throws(TokenRefusal) -> Verified {
        try self.verify(try JSONWebToken(parsing: text), at: now)
    }

    package func verify(_ token: JSONWebToken, at now: WallTime) throws(TokenRefusal) -> Verified {
        guard let keyID = token.keyID, let key = self.keys[keyID] else { throw .unknownKey }
        guard key.algorithm == token.algorithm else { throw .wrongAlgorithm }
        guard token.isSigned(by: key) else { throw .badSignature }
        guard self.isWanted(type: token.type) else { throw .wrongType }
        let claims = try TokenClaims(parsing: token.payload)
        guard claims.audience.contains(self.rules.audience) else { throw .wrongAudience }
        guard self.rules.issuer == nil || claims.issuer == self.rules.issuer else { throw .wrongIssuer }
        guard let subject = claims.subject, let expiry = claims.expiry, let issuedAt = claims.issuedAt else {
            throw .missingClaim
        }
        try self.check(issuedAt, claims.notBefore, expiry, at: now)
        return Verified(
            subject: subject, keyID: keyID, tokenID: claims.tokenID ?? token.standInID,
            issuedAt: WallTime(seconds: issuedAt), expiry: WallTime(seconds: expiry), texts: claims.texts)
    }

    private func isWanted(type: String?) -> Bool {
        guard var type = type?.lowercased() else { return false }
        if type.hasPrefix("application/") { type.removeFirst("application/".count) }
        return type == self.rules.type.lowercased()
    }

    private func check(
        _ issuedAt: Int64, _ notBefore: Int64?, _ expiry: Int64, at now: WallTime
    ) throws(TokenRefusal) {
        let leeway = self.rules.leeway.clampedMilliseconds
        guard now.milliseconds - self.rules.expiryLeeway.clampedMilliseconds < expiry * 1000 else { throw .expired }
        guard (notBefore ?? 0) * 1000 <= now.milliseconds + leeway else { throw .notYetValid }
        guard issuedAt * 1000 <= now.milliseconds + leeway else { throw .issuedInTheFuture }
        guard .seconds(expiry - issuedAt) <= self.rules.maximumLifetime else { throw .livesTooLong }
    }
}

extension JSONWebToken {
    /// A token that has no name of its own is named by its content.
    fileprivate var standInID: String { "h:\(self.contentHash)" }
}
