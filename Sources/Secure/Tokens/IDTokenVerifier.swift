package import Vocabulary

/// Decides whether an ID token proves who somebody is (OpenID Connect Core 1.0 §3.1.3.7): signed by the provider with a key
/// of its own, made for us and for this very sign-in, and good right now.
package struct IDTokenVerifier: Sendable {
    /// What the token has to name.
    package let issuer: String
    package let clientID: String
    /// How far the provider's clock and ours may be apart.
    package var leeway = Duration.seconds(60)

    /// Providers put lists of groups and the like into theirs.
    package static let maximumLength = 32 << 10
    /// As the standard bounds it (§2).
    package static let maximumSubjectLength = 255
    /// A provider publishes the keys of these. What is signed with a secret that two know proves less, and `none` nothing.
    private static let algorithms: Set<SigningKey.Algorithm> = [.rs256, .es256]

    package init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }

    /// A user the provider vouches for.
    package struct Verified: Hashable, Sendable {
        /// The user's id there, the same for ever and never another's.
        package let subject: String
        /// Every claim that is a text.
        package let texts: [String: String]
    }

    /// `unknownKey` may mean that the provider has new keys by now.
    package func verify(
        _ text: String, _ keys: JSONWebKeySet, nonce: String, at now: WallTime
    ) throws(TokenRefusal) -> Verified {
        let token = try JSONWebToken(parsing: text, maximumLength: Self.maximumLength)
        guard Self.algorithms.contains(token.algorithm) else { throw .unknownAlgorithm }
        let candidates = keys.candidates(keyID: token.keyID, token.algorithm)
        guard !candidates.isEmpty else { throw .unknownKey }
        guard candidates.contains(where: { token.isSigned(by: $0) }) else { throw .badSignature }
        let claims = try TokenClaims(parsing: token.payload)
        try self.checkPurpose(of: claims, nonce: nonce)
        try self.checkTime(of: claims, at: now)
        guard let subject = claims.subject, (1...Self.maximumSubjectLength).contains(subject.utf8.count) else {
            throw .missingClaim
        }
        return Verified(subject: subject, texts: claims.texts)
    }

    private func checkPurpose(of claims: TokenClaims, nonce: String) throws(TokenRefusal) {
        guard claims.issuer == self.issuer else { throw .wrongIssuer }
        guard claims.audience.contains(self.clientID) else { throw .wrongAudience }
        // A token for several names the one it was handed to.
        let party = claims.texts["azp"]
        guard claims.audience.count == 1 && party == nil || party == self.clientID else { throw .wrongAudience }
        guard claims.texts["nonce"] == nonce else { throw .wrongNonce }
    }

    private func checkTime(of claims: TokenClaims, at now: WallTime) throws(TokenRefusal) {
        guard let expiry = claims.expiry, let issuedAt = claims.issuedAt else { throw .missingClaim }
        let leeway = self.leeway.clampedMilliseconds
        guard now.milliseconds - leeway < expiry * 1000 else { throw .expired }
        guard (claims.notBefore ?? 0) * 1000 <= now.milliseconds + leeway else { throw .notYetValid }
        guard issuedAt * 1000 <= now.milliseconds + leeway else { throw .issuedInTheFuture }
    }
}
