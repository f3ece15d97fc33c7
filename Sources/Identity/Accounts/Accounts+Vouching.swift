internal import Journal
internal import Keeping
internal import Secure
internal import System
package import Vocabulary

extension Accounts {
    /// What a door's program asks for, whose secret the door has checked: a token that counts until it is called back. A
    /// user who is banned gets one as well, and comes in with it when the ban is over.
    package func vouch(
        for id: UserID, displayName: DisplayName?, avatar: AvatarLink?
    ) async throws(IdentityRefusal) -> SignIn.Token {
        try self.demandOpen(.applications)
        let now = self.time.wall()
        _ = try await self.ask(Introduction(id, displayName: displayName, avatar: avatar, at: now))
        let revocations = self.revocationsNow
        if revocations.isDeleted(id) { throw .deleted }
        do throws(SecureError) {
            return try self.accessTokens.vouched(
                for: id, at: WallTime(seconds: revocations.issueSecond(for: id, at: now)))
        } catch {
            self.journal.error(.accountsFailed, "a token could not be signed", [.error: .error(error)])
            throw .unavailable
        }
    }

    /// Who may not come in just now, in the order of their ids.
    package var bans: [Revocations.Ban] { self.revocationsNow.bans(at: self.time.wall()) }

    /// Calls back what a user was given up to a time: all of it, where that is not over.
    package func revokeAll(of user: UserID, issuedUpTo time: WallTime) async throws(IdentityRefusal) {
        guard time < self.time.wall() else { return try await self.revokeAll(of: user) }
        let isNews = self.revocations.withLock { revocations in
            guard revocations.notBefore(of: user).map({ $0 < time }) ?? true else { return false }
            revocations.revokedUser(user, upTo: time)
            return true
        }
        guard isNews else { return }
        self.tellObservers(.userRevoked(user, upTo: time))
        try await self.store(restrictionOf: user)
    }
}
