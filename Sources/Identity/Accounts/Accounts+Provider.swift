internal import Keeping
package import Vocabulary

// Who signs in elsewhere.

extension Accounts {
    /// Signs in whom the OpenID provider vouches for, and makes their account the first time.
    ///
    /// - Parameter prove: asks the provider. What it throws as `unproven` counts as a guess, and nothing else does: a
    ///   provider that is ill is nobody's fault here.
    package func signIn(
        from address: IPAddress, provenBy prove: @Sendable () async throws(IdentityRefusal) -> ProviderUser
    ) async throws(IdentityRefusal) -> SignIn {
        let attempt = try self.attempts.began(account: nil, from: address, at: self.time.steady())
        let proven: ProviderUser
        do throws(IdentityRefusal) {
            proven = try await prove()
            self.attempts.succeeded(attempt)
        } catch {
            if error != .unproven { self.attempts.cancelled(attempt) }
            throw error
        }
        try self.checkMayEnter(proven.id)
        return try await self.begin(try await self.account(of: proven), longLived: nil)
    }

    /// Their name is theirs to change afterwards.
    private func account(of proven: ProviderUser) async throws(IdentityRefusal) -> StoredUser {
        let new = StoredUser(id: proven.id, displayName: proven.displayName, created: self.time.wall())
        if try await self.ask(AddUser(new)) == .added { return new }
        guard let user = try await self.ask(FindUser.id(proven.id)) else { throw .deleted }
        return user
    }
}
