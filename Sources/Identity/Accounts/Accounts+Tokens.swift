internal import Journal
internal import Secure
internal import Keeping
internal import Vocabulary

// MARK: - Believing

extension Accounts {
    /// Who an access token, or an application's token, speaks for. Answers on the spot.
    package func identity(ofToken text: String) throws(IdentityRefusal) -> Identity {
        let now = self.time.wall()
        let identity = try self.verifiedIdentity(text, at: now)
        try self.revocationsNow.check(identity, at: now)
        return identity
    }

    private func verifiedIdentity(_ text: String, at now: WallTime) throws(IdentityRefusal) -> Identity {
        do throws(TokenRefusal) {
            let token = try JSONWebToken(parsing: text)
            if token.keyID == Self.accessKeyID {
                return try Identity(try self.accessVerifier.verify(token, at: now), from: .ourselves)
            }
            return try Identity(try self.applicationVerifier.verify(token, at: now), from: .application)
        } catch {
            throw .token(error)
        }
    }

    /// Who a long-lived token speaks for. The store has to be asked, since nothing can be read from it.
    package func identity(ofLegacyToken text: String) async throws(IdentityRefusal) -> Identity {
        let start = self.time.wall()
        let serial = self.revocationsNow.serial
        guard text.utf8.count == 36 else { throw .token(.malformed) }
        let hash = LegacyToken.hash(text)
        guard let user = try await self.ask(FindUser.tokenHash(hash, at: start)),
            let token = try await self.ask(FindLongLivedToken(of: user.id)), token.hash == hash
        else { throw .token(.badSignature) }
        let now = self.time.wall()
        let revocations = self.revocationsNow
        try revocations.checkStillGood(user.id, since: serial, at: now)
        let issuedAt = WallTime(seconds: revocations.issueSecond(for: user.id, at: now))
        let identity = Identity(legacyTokenOf: user, token, issuedAt: issuedAt)
        try revocations.check(identity, at: now)
        return identity
    }
}

extension Identity {
    enum Issuer { case ourselves, application }

    init(_ token: TokenVerifier.Verified, from issuer: Issuer) throws(TokenRefusal) {
        guard let user = UserID(token.subject) else { throw .missingClaim }
        let kind: Kind? = issuer == .application ? .application : token.texts["kind"].flatMap(Kind.init(rawValue:))
        guard let kind else { throw .missingClaim }
        self.init(
            user: user, displayName: token.texts["name"].flatMap { DisplayName($0) },
            avatar: token.texts["picture"].flatMap { AvatarLink($0) }, kind: kind, tokenID: token.tokenID,
            issuedAt: token.issuedAt, expiry: token.expiry)
    }
}

extension Identity {
    private static let legacyPrefix = "legacy:"

    init(legacyTokenOf user: StoredUser, _ token: LongLivedToken, issuedAt: WallTime) {
        self.init(
            user: user.id, displayName: user.shownName, avatar: user.avatar, kind: user.kind,
            tokenID: Self.legacyTokenID(of: user.id, token), issuedAt: issuedAt, expiry: token.expiry)
    }

    static func legacyTokenID(of user: UserID, _ token: LongLivedToken) -> String {
        "\(Self.legacyPrefix)\(user.text):\(token.version)"
    }

    /// Whether it came by a long-lived token. Applications name their tokens as they like.
    var isLegacy: Bool { self.kind != .application && self.tokenID.hasPrefix(Self.legacyPrefix) }
}

extension StoredUser {
    var kind: Identity.Kind { self.name == nil ? .anonymous : .member }
}

// MARK: - Issuing

extension Accounts {
    /// Signs an access token for somebody whose right to it was checked just now.
    func issueAccess(_ user: StoredUser, _ kind: Identity.Kind) throws(IdentityRefusal) -> (Identity, SignIn.Token) {
        let identity = self.newIdentity(user, kind)
        do throws(SecureError) {
            let text = try JSONWebToken.sign(self.claims(identity), type: Self.accessType, with: self.accessKey)
            return (identity, SignIn.Token(text: text, expiry: identity.expiry))
        } catch {
            self.journal.error(.accountsFailed, "a token could not be signed", [.error: .error(error)])
            throw .unavailable
        }
    }

    private func newIdentity(_ user: StoredUser, _ kind: Identity.Kind) -> Identity {
        let now = self.time.wall()
        let issued = WallTime(seconds: self.revocationsNow.issueSecond(for: user.id, at: now))
        return Identity(
            user: user.id, displayName: user.shownName, avatar: user.avatar, kind: kind,
            tokenID: RandomToken.drawn().text, issuedAt: issued, expiry: issued + self.settings.accessLife)
    }

    private func claims(_ identity: Identity) -> TokenClaims {
        let texts = [
            "kind": identity.kind.rawValue, "name": identity.displayName?.text, "picture": identity.avatar?.text,
        ]
        return TokenClaims(
            issuer: self.settings.serviceName, subject: identity.user.text, audience: [self.settings.serviceName],
            expiry: identity.expiry.seconds, issuedAt: identity.issuedAt.seconds, tokenID: identity.tokenID,
            texts: texts.compactMapValues { $0 })
    }
}
