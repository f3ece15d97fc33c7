internal import Keeping
internal import System

extension Accounts {
    /// A token that opens one connection opens it now. Once it is on the disk that it did, or never.
    package func use(_ identity: Identity) async throws(IdentityRefusal) {
        guard identity.isForOneUse else { return }
        let name = Revocations.name(ofUsed: identity.tokenID)
        let isFirst = self.revocations.withLock { revocations in
            guard !revocations.isRevoked(name) else { return false }
            revocations.revokedToken(name, until: identity.expiry)
            return true
        }
        guard isFirst else { throw .revoked }
        self.tellObservers(.tokenRevoked(tokenID: name))
        try await self.ask(RevokeToken(RevokedToken(id: name, expiry: identity.expiry)))
    }
}
