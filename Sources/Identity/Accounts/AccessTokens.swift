internal import Keeping
internal import Secure
internal import Vocabulary

/// Signs access tokens, and verifies them and the tokens of applications. Whether one was called back is for others
/// to know.
struct AccessTokens: Sendable {
    private let key: SigningKey
    private let ownVerifier: TokenVerifier
    private let applicationVerifier: TokenVerifier
    private let realms: [String: ApplicationRealm]
    private let serviceName: String
    private let life: Duration
    private let vouchedKey: SigningKey
    private let vouchedLife: Duration
    /// Nil where there is no door that hands them out.
    private let vouchedVerifier: TokenVerifier?

    private static let keyID = "parley-access"
    /// Short, as the whole token is: some programs keep no more than 256 bytes. No application has such a name.
    private static let vouchedKeyID = "*"
    private static let vouchedType = "JWT"
    private static let type = "at+jwt"
    /// As OpenID Connect calls a session.
    fileprivate static let familyClaim = "sid"
    /// What a token is for; `once` stands for one connection.
    fileprivate static let (useClaim, once) = ("use", "once")

    init(_ secret: ServerSecret, _ applications: [Application], _ settings: AccountSettings) {
        let name = settings.serviceName
        self.key = secret.signingKey(id: Self.keyID)
        self.serviceName = name
        self.life = settings.accessLife
        self.realms = Dictionary(applications.map { ($0.id, $0.realm) }) { first, _ in first }
        self.ownVerifier = TokenVerifier(
            KeyRing([self.key]),
            .init(type: Self.type, audience: name, issuer: name, maximumLifetime: settings.accessLife))
        let vouchedKey = secret.signingKey(id: Self.vouchedKeyID)
        self.vouchedKey = vouchedKey
        self.vouchedLife = settings.vouchedLife
        self.vouchedVerifier =
            settings.acceptsVouched
            ? TokenVerifier(
                KeyRing([vouchedKey]),
                .init(type: Self.vouchedType, audience: name, maximumLifetime: settings.vouchedLife))
            : nil
        self.applicationVerifier = TokenVerifier(
            KeyRing(applications.map(\.key)),
            .init(type: "JWT", audience: name, maximumLifetime: settings.applicationLife))
    }

    func verified(_ text: String, at now: WallTime) throws(IdentityRefusal) -> Identity {
        do throws(TokenRefusal) {
            let token = try JSONWebToken(parsing: text)
            if token.keyID == Self.keyID {
                return try Identity(try self.ownVerifier.verify(token, at: now), from: .ourselves)
            }
            if token.keyID == Self.vouchedKeyID {
                guard let verifier = self.vouchedVerifier else { throw TokenRefusal.unknownKey }
                return try Identity(try verifier.verify(token, at: now), from: .application)
            }
            let verified = try self.applicationVerifier.verify(token, at: now)
            guard self.realms[verified.keyID]?.holds(verified.subject) == true else {
                throw TokenRefusal.foreignSubject
            }
            return try Identity(verified, from: .application)
        } catch {
            throw .token(error)
        }
    }

    /// Signs a token for a user whose right to it was checked just now.
    func issued(
        to user: StoredUser, _ kind: Identity.Kind, in family: RandomToken?, at moment: WallTime,
        isForOneUse: Bool = false
    ) throws(SecureError) -> (Identity, SignIn.Token) {
        var identity = Identity(
            user: user.id, displayName: user.shownName, avatar: user.avatar, kind: kind,
            tokenID: RandomToken.drawn().text, family: family, issuedAt: moment, expiry: moment + self.life)
        identity.isForOneUse = isForOneUse
        let text = try JSONWebToken.sign(self.claims(identity), type: Self.type, with: self.key)
        return (identity, SignIn.Token(text: text, expiry: identity.expiry))
    }

    /// Signs a token for a user whom a door's program vouches for. It has what is needed and no more.
    func vouched(for user: UserID, at moment: WallTime) throws(SecureError) -> SignIn.Token {
        let expiry = moment + self.vouchedLife
        let claims = TokenClaims(
            subject: user.text, audience: [self.serviceName], expiry: expiry.seconds, issuedAt: moment.seconds)
        let text = try JSONWebToken.sign(claims, type: Self.vouchedType, with: self.vouchedKey)
        return SignIn.Token(text: text, expiry: expiry)
    }

    private func claims(_ identity: Identity) -> TokenClaims {
        let texts = [
            "kind": identity.kind.rawValue, "name": identity.displayName?.text, "picture": identity.avatar?.text,
            Self.familyClaim: identity.family?.text, Self.useClaim: identity.isForOneUse ? Self.once : nil,
        ]
        return TokenClaims(
            issuer: self.serviceName, subject: identity.user.text, audience: [self.serviceName],
            expiry: identity.expiry.seconds, issuedAt: identity.issuedAt.seconds, tokenID: identity.tokenID,
            texts: texts.compactMapValues { $0 })
    }
}

extension Identity {
    fileprivate enum Issuer { case ourselves, application }

    fileprivate init(_ token: TokenVerifier.Verified, from issuer: Issuer) throws(TokenRefusal) {
        guard let user = UserID(token.subject) else { throw .missingClaim }
        let kind: Kind? = issuer == .application ? .application : token.texts["kind"].flatMap(Kind.init(rawValue:))
        guard let kind else { throw .missingClaim }
        self.init(
            user: user, displayName: token.texts["name"].flatMap { DisplayName($0) },
            avatar: token.texts["picture"].flatMap { AvatarLink($0) }, kind: kind, tokenID: token.tokenID,
            family: issuer == .ourselves ? token.texts[AccessTokens.familyClaim].flatMap { RandomToken($0) } : nil,
            issuedAt: token.issuedAt, expiry: token.expiry)
        self.isForOneUse = token.texts[AccessTokens.useClaim] == AccessTokens.once
    }
}

extension StoredUser {
    var kind: Identity.Kind { self.name == nil ? .anonymous : .member }
}
