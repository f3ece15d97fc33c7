internal import Secure
internal import Keeping
package import Vocabulary

/// What somebody writes into the form for new members.
package struct Registration: Hashable, Sendable {
    package var name: String
    package var password: String
    package var displayName: DisplayName?
    package var avatar: AvatarLink?

    package init(name: String, password: String, displayName: DisplayName? = nil, avatar: AvatarLink? = nil) {
        self.name = name
        self.password = password
        self.displayName = displayName
        self.avatar = avatar
    }
}

extension Accounts {
    /// A new id for somebody who gives no name. The refresh token keeps it for them.
    package func signInAnonymously(
        as displayName: DisplayName? = nil, from address: IPAddress
    ) async throws(IdentityRefusal) -> SignIn {
        try self.attempts.createsAccount(from: address, at: self.time.steady())
        let user = StoredUser(id: self.newUserID(), displayName: displayName, created: self.time.wall())
        guard try await self.ask(AddUser(user)) == .added else { throw .unavailable }
        return try await self.begin(user, longLived: nil)
    }

    package func register(_ form: Registration, from address: IPAddress) async throws(IdentityRefusal) -> SignIn {
        let name = try self.checkedName(form.name)
        try self.checkNew(password: form.password)
        try self.attempts.createsAccount(from: address, at: self.time.steady())
        let hash = try await self.passwords.hash(form.password)
        let user = StoredUser(
            id: self.newUserID(), name: name, passwordHash: hash, displayName: form.displayName,
            avatar: form.avatar, created: self.time.wall())
        let (token, kept) = self.legacyToken(of: user.id, version: 1)
        switch try await self.ask(AddUser(user, kept)) {
        case .added: return try await self.begin(user, longLived: token)
        case .nameTaken: throw .nameTaken
        case .idTaken: throw .unavailable
        }
    }

    package func logIn(
        name: String, password: String, from address: IPAddress
    ) async throws(IdentityRefusal) -> SignIn {
        guard !name.isEmpty else { throw .nameEmpty }
        guard !password.isEmpty else { throw .passwordEmpty }
        // Nobody can have registered these, and an attacker must not choose what is hashed and remembered.
        guard let name = try? UserName(name), password.utf8.count <= self.settings.maximumPasswordBytes else {
            throw .wrongCredentials
        }
        let attempt = try self.attempts.began(account: name.text, from: address, at: self.time.steady())
        let user = try await self.proven(name, password, attempt)
        self.attempts.succeeded(attempt)
        try self.revocationsNow.checkBan(of: user.id, at: self.time.wall())
        return try await self.begin(user, longLived: try await self.currentLegacyToken(of: user.id))
    }

    private func proven(
        _ name: UserName, _ password: String, _ attempt: AttemptGuard.Attempt
    ) async throws(IdentityRefusal) -> StoredUser {
        do throws(IdentityRefusal) {
            let user = try await self.ask(FindUser.name(name))
            let verdict = try await self.passwords.check(password, against: user?.passwordHash)
            guard let user, verdict != .wrong else { throw .wrongCredentials }
            if case .rightAndRenewed(let hash) = verdict {
                _ = try await self.ask(SetCredential(.passwordHash(hash), of: user.id))
            }
            return user
        } catch {
            if error == .unavailable { self.attempts.cancelled(attempt) }
            throw error
        }
    }

    /// Whoever proved who they are gets tokens of their own.
    private func begin(_ user: StoredUser, longLived: SignIn.Token?) async throws(IdentityRefusal) -> SignIn {
        let now = self.time.wall()
        let refresh = RefreshToken(family: .drawn())
        let expiry = now + self.settings.refreshLife
        let family = RefreshFamily(id: refresh.family, user: user.id, current: refresh.hash, expiry: expiry)
        try await self.ask(BeginRefreshFamily(family, at: now))
        let (identity, access) = try self.issueAccess(user, user.kind)
        return SignIn(
            identity: identity, name: user.name, access: access,
            refresh: SignIn.Token(text: refresh.text, expiry: expiry), longLived: longLived)
    }
}

// MARK: - What people write

extension Accounts {
    private func checkedName(_ text: String) throws(IdentityRefusal) -> UserName {
        do throws(UserName.Mistake) {
            return try UserName(text)
        } catch {
            throw error == .empty ? .nameEmpty : .nameInvalid(error)
        }
    }

    private func checkNew(password: String) throws(IdentityRefusal) {
        guard !password.isEmpty else { throw .passwordEmpty }
        guard password.count >= self.settings.minimumPasswordLength else { throw .passwordTooShort }
        guard password.utf8.count <= self.settings.maximumPasswordBytes else { throw .passwordTooLong }
        guard password.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .passwordInvalid }
    }

    private func newUserID() -> UserID { UserID(.drawn()) }
}
