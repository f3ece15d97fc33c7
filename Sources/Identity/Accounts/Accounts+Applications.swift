internal import Keeping
package import Vocabulary

extension Accounts {
    /// What an application's server asks for: a token for one of its users. The secret never leaves that server.
    package func issueToken(
        for id: UserID, displayName: DisplayName?, avatar: AvatarLink?, application: String, secret: String,
        from address: IPAddress
    ) async throws(IdentityRefusal) -> (Identity, SignIn.Token) {
        try self.check(application: application, secret: secret, from: address)
        try self.revocationsNow.checkBan(of: id, at: self.time.wall())
        let user = StoredUser(id: id, displayName: displayName, avatar: avatar, created: self.time.wall())
        // So that others can look up who this is.
        let introduction = Introduction(id, displayName: displayName, avatar: avatar, at: user.created)
        try await self.ask(introduction)
        return try self.issueAccess(user, .application)
    }

    /// Whether another program is who it says. Guessing has a limit.
    package func check(
        application: String, secret: String, from address: IPAddress
    ) throws(IdentityRefusal) {
        let attempt = try self.attempts.began(account: nil, from: address, at: self.time.steady())
        guard self.applications[application]?.isSecret(secret) == true else { throw .wrongApplication }
        self.attempts.succeeded(attempt)
    }
}
