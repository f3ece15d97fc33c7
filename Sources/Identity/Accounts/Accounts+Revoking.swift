internal import Journal
internal import System
internal import Secure
internal import Keeping
package import Vocabulary

// What is called back counts in memory first and at once, then everybody who listens hears of it, and last it is
// written down. So even when the disk fails nobody stays in; the caller hears that it may not outlast a restart.

extension Accounts {
    /// Calls back a single token. What it was refreshed from stays good.
    package func revoke(_ identity: Identity) async throws(IdentityRefusal) {
        self.revocations.withLock { $0.revokedToken(identity.tokenID, until: identity.expiry) }
        self.tellObservers(.tokenRevoked(tokenID: identity.tokenID))
        self.journal.notice(.accountsRevoked, "one token of a user", [.user: .private(identity.user.text)])
        let token = RevokedToken(id: identity.tokenID, expiry: identity.expiry)
        try await self.ask(RevokeToken(token))
        if identity.isLegacy { try await self.replaceLegacyToken(of: identity.user) }
    }

    /// Calls back everything a user holds: access, refresh and long-lived tokens.
    package func revokeAll(of user: UserID) async throws(IdentityRefusal) {
        let now = self.time.wall()
        self.revocations.withLock { $0.revokedUser(user, upTo: now) }
        self.tellObservers(.userRevoked(user, upTo: now))
        self.journal.notice(.accountsRevoked, "all tokens of a user", [.user: .private(user.text)])
        try await self.store(restrictionOf: user)
        _ = try await self.ask(EndRefreshFamilies.all(of: user))
        try await self.replaceLegacyToken(of: user)
    }

    /// The next login is given another one; the old one is not found any more. Until then it lets people in, so
    /// whoever came in on it is called back by its name.
    private func replaceLegacyToken(of user: UserID) async throws(IdentityRefusal) {
        guard let kept = try await self.ask(FindLongLivedToken(of: user)) else { return }
        let tokenID = Identity.legacyTokenID(of: user, kept)
        self.revocations.withLock { $0.revokedToken(tokenID, until: kept.expiry) }
        self.tellObservers(.tokenRevoked(tokenID: tokenID))
        try await self.renewLegacyToken(of: user, after: kept)
    }

    /// Nobody gets in as this user before `end`, with whatever token.
    package func ban(_ user: UserID, until end: WallTime) async throws(IdentityRefusal) {
        self.revocations.withLock { $0.banned(user, until: end) }
        self.tellObservers(.banned(user, until: end))
        self.journal.notice(.accountsBanned, "nobody gets in as this user", [.user: .private(user.text)])
        try await self.store(restrictionOf: user)
    }

    package func unban(_ user: UserID) async throws(IdentityRefusal) {
        self.revocations.withLock { $0.unbanned(user) }
        self.tellObservers(.unbanned(user))
        self.journal.notice(.accountsUnbanned, "a user may come in again", [.user: .private(user.text)])
        try await self.store(restrictionOf: user)
    }

    /// Whether somebody who is in already may stay: asked again when a connection is resumed.
    package func check(_ identity: Identity) throws(IdentityRefusal) {
        let now = self.time.wall()
        guard now < identity.expiry else { throw .token(.expired) }
        try self.revocationsNow.check(identity, at: now)
    }

    /// Forgets what no longer matters, in memory and in the store: once an hour is plenty.
    package func sweep() async throws(IdentityRefusal) {
        let (now, oldest) = (self.time.wall(), self.oldestLivingToken)
        self.revocations.withLock { $0.forget(at: now, tokensSince: oldest) }
        _ = try await self.ask(RecallRestrictions(at: now, tokensSince: oldest))
    }

    private func store(restrictionOf user: UserID) async throws(IdentityRefusal) {
        let now = self.time.wall()
        let restriction = self.revocations.withLock { revocations in
            Restriction(
                user: user, notBefore: revocations.notBefore(of: user), bannedUntil: revocations.ban(of: user, at: now))
        }
        try await self.ask(SetRestriction(restriction))
    }
}
