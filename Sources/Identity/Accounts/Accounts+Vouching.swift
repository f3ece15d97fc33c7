internal import Journal
internal import Keeping
internal import Secure
package import Vocabulary

extension Accounts {
    /// What a door's program asks for, whose secret the door has checked: a token that counts until it is called back. A
    /// user who is banned gets one as well, and comes in with it when the ban is over.
    package func vouch(
        for id: UserID, displayName: DisplayName?, avatar: AvatarLink?
    ) async throws(IdentityRefusal) -> SignIn.Token {
        try self.demandOpen(.applications)
        let now = self.time.wall()
        try await self.ask(Introduction(id, displayName: displayName, avatar: avatar, at: now))
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
}
