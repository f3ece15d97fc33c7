internal import Journal
internal import Keeping
package import Vocabulary

extension Accounts {
    /// The next tokens for a refresh token, which is good once.
    package func refresh(_ text: String, from address: IPAddress) async throws(IdentityRefusal) -> SignIn {
        let start = self.time.wall()
        let serial = self.revocationsNow.serial
        guard let shown = RefreshToken(text) else { throw .refreshUnknown }
        let attempt = try self.attempts.began(account: nil, from: address, at: self.time.steady())
        let next = RefreshToken(family: shown.family)
        let expiry = start + self.settings.refreshLife
        let user = try await self.followed(
            RefreshPresentation(
                family: shown.family, hash: shown.hash, nextHash: next.hash, nextExpiry: expiry, now: start), attempt)
        try self.revocationsNow.checkStillGood(user.id, since: serial, at: self.time.wall())
        let (identity, access) = try self.issueAccess(user, user.kind)
        return SignIn(
            identity: identity, name: user.name, access: access,
            refresh: SignIn.Token(text: next.text, expiry: expiry), longLived: nil)
    }

    private func followed(
        _ presentation: RefreshPresentation, _ attempt: AttemptGuard.Attempt
    ) async throws(IdentityRefusal) -> StoredUser {
        let outcome: RefreshOutcome
        do throws(IdentityRefusal) {
            outcome = try await self.ask(presentation)
        } catch {
            self.attempts.cancelled(attempt)
            throw error
        }
        switch outcome {
        case .followed(_, let user?):
            self.attempts.succeeded(attempt)
            return user
        case .followed(_, nil), .unknown: throw .refreshUnknown
        case .expired: throw .refreshExpired
        case .reused(let user):
            self.journal.warning(
                .accountsTheft, "a refresh token was used twice, so its family ends", [.user: .private(user.text)])
            throw .refreshReused
        }
    }

    /// Ends what follows from one sign-in. Saying it twice, or with a wrong token, changes nothing.
    package func signOut(_ text: String) async throws(IdentityRefusal) {
        guard let token = RefreshToken(text) else { return }
        _ = try await self.ask(EndRefreshFamilies.one(token.family))
    }
}
