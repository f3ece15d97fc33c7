internal import Bytes
internal import Hashing
internal import Keeping
internal import Vocabulary

/// The tokens of clients that know only one, shaped as a UUID: the same at every login until it ends.
///
/// One follows from the user, a counter and the server's secret, so it can be said again without being kept.
struct LegacyTokens: Sendable {
    private let key: [UInt8]
    private let life: Duration

    init(_ secret: ServerSecret, life: Duration) {
        self.key = secret.key(for: "long-lived tokens")
        self.life = life
    }

    /// The token to hand out and what is kept of it.
    func issued(to user: UserID, version: Int64, at now: WallTime) -> (SignIn.Token, LongLivedToken) {
        let text = self.text(of: user, version)
        let expiry = now + self.life
        let kept = LongLivedToken(version: version, hash: Self.hash(text), expiry: expiry)
        return (SignIn.Token(text: text, expiry: expiry), kept)
    }

    /// The token that was handed out while it is good. With another server secret it can no longer be said.
    func token(of user: UserID, _ kept: LongLivedToken, at now: WallTime) -> SignIn.Token? {
        guard now < kept.expiry else { return nil }
        let text = self.text(of: user, kept.version)
        return Self.hash(text) == kept.hash ? SignIn.Token(text: text, expiry: kept.expiry) : nil
    }

    /// What the store finds a token by; nil for what can be none.
    static func storedHash(of text: String) -> [UInt8]? { text.utf8.count == 36 ? self.hash(text) : nil }

    private static func hash(_ text: String) -> [UInt8] { Digest.sha256.hash(text) }

    private func text(of user: UserID, _ version: Int64) -> String {
        UUIDText.write(Array(HMAC.code(of: "\(user.text)\n\(version)", key: self.key).prefix(16)))
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
