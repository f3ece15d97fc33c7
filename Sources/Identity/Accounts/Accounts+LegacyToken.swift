internal import Keeping
internal import Vocabulary

extension Accounts {
    /// The token to hand out and what is kept of it.
    func legacyToken(of user: UserID, version: Int64) -> (SignIn.Token, LongLivedToken) {
        let token = LegacyToken(of: user, version: version, key: self.legacyKey)
        let expiry = self.time.wall() + self.settings.legacyLife
        let kept = LongLivedToken(version: version, hash: token.hash, expiry: expiry)
        return (SignIn.Token(text: token.text, expiry: expiry), kept)
    }

    /// The same as at the last login while it is good; a new one when it has ended.
    func currentLegacyToken(of user: UserID) async throws(IdentityRefusal) -> SignIn.Token {
        let kept = try await self.ask(FindLongLivedToken(of: user))
        if let kept, self.time.wall() < kept.expiry {
            let token = LegacyToken(of: user, version: kept.version, key: self.legacyKey)
            // With another server secret the old one can no longer be said.
            if token.hash == kept.hash { return SignIn.Token(text: token.text, expiry: kept.expiry) }
        }
        return try await self.renewLegacyToken(of: user, after: kept)
    }

    @discardableResult
    func renewLegacyToken(of user: UserID, after kept: LongLivedToken?) async throws(IdentityRefusal) -> SignIn.Token {
        let (token, next) = self.legacyToken(of: user, version: (kept?.version ?? 0) &+ 1)
        _ = try await self.ask(SetCredential(.token(next), of: user))
        return token
    }
}
