internal import Hashing
internal import Journal
package import Keeping
internal import System
package import Vocabulary

// What users do with their own account.

extension Accounts {
    /// Every device that is signed in as the user.
    package func devices(of user: UserID) async throws(IdentityRefusal) -> [RefreshFamily.Use] {
        try await self.ask(ListRefreshFamilies(of: user, at: self.time.wall()))
    }

    /// Signs one device of the user out, at once. False when there is no such device.
    package func signOut(_ device: RandomToken, of user: UserID) async throws(IdentityRefusal) -> Bool {
        let ended = try await self.ask(EndRefreshFamilies.one(device, of: user))
        for family in ended { try await self.ended(family) }
        return !ended.isEmpty
    }

    /// Another password for whoever knows the old one. All devices are signed out; the one that asks gets new tokens.
    package func changePassword(
        of identity: Identity, from old: String, to new: String, by address: IPAddress
    ) async throws(IdentityRefusal) -> SignIn {
        guard let user = try await self.ask(FindUser.id(identity.user)), let name = user.name else { throw .closed }
        try self.settings.check(password: new, of: name)
        _ = try await self.user(name, provenBy: old, from: address)
        let hash = try await self.passwords.hash(new, from: address)
        guard try await self.ask(SetCredential(.passwordHash(hash), of: user.id)) else { throw .closed }
        try await self.revokeAll(of: user.id)
        return try await self.begin(user, longLived: nil)
    }
}

// MARK: - Deleting an account

extension Accounts {
    /// Deletes the user's own account. Who has a password shows it, others a token that was issued just now.
    package func deleteAccount(
        of identity: Identity, password: String, by address: IPAddress
    ) async throws(IdentityRefusal) -> ChangedProfile {
        if let name = try await self.ask(FindUser.id(identity.user))?.name {
            guard !password.isEmpty else { throw .passwordEmpty }
            _ = try await self.user(name, provenBy: password, from: address)
        } else {
            guard self.time.wall() <= identity.issuedAt + self.settings.freshLife else { throw .stale }
        }
        guard let changed = try await self.delete(identity.user) else { throw .revoked }
        return changed
    }

    /// Signs the user out everywhere, for good: their id is never given to another person. Nil for a user nobody knows.
    ///
    /// Here it is written down first: from then on nothing is issued, and what was issued before ends at once.
    package func delete(_ user: UserID) async throws(IdentityRefusal) -> ChangedProfile? {
        let name = try await self.ask(FindUser.id(user))?.name
        let request = DeleteUser(user, nameHash: name.map { self.nameHash($0) }, at: self.time.wall())
        guard let changed = try await self.ask(request) else { return nil }
        self.revocations.withLock { $0.deleted(user) }
        self.tellObservers(.deleted(user))
        self.journal.notice(.accountsDeleted, "an account was deleted", [.user: .private(user.text)])
        return changed
    }

    /// In whichever case its letters are written.
    func nameHash(_ name: UserName) -> [UInt8] { HMAC.code(of: name.text.lowercased(), key: self.nameKey) }
}

extension LogName {
    fileprivate static let accountsDeleted = LogName("accounts.deleted")
}
