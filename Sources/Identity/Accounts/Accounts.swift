package import Journal
package import Keeping
internal import Secure
internal import System
package import Vocabulary

/// Who may come in: signs people in, believes their tokens, and calls both back.
///
/// What is asked at every connection (`identity(ofToken:)`) is answered on the spot from memory. What needs the store
/// or hashes a password is `async` and keeps no loop waiting: `Reactor.perform` starts it from a loop.
package final class Accounts: Sendable {
    private let store: any Store
    let settings: AccountSettings
    let journal: Journal
    let time: Timekeeper
    let attempts: AttemptGuard
    let passwords: PasswordHasher
    private let applications: [String: Application]
    let accessTokens: AccessTokens
    private let legacyTokens: LegacyTokens
    /// Under which names of deleted accounts are remembered.
    let nameKey: [UInt8]
    let revocations = Locked(Revocations())
    private let observers = Locked<[@Sendable (IdentityChange) -> Void]>([])
    let publisher = Locked<@Sendable (IdentityChange) -> Void>({ _ in })

    /// Waits for the store's first answer, so make it before the loops turn and never on one of them.
    package init(
        store: any Store, secret: ServerSecret, applications: [Application] = [],
        settings: AccountSettings = AccountSettings(), journal: Journal = .silent,
        time: Timekeeper = .system
    ) throws(StoreError) {
        self.store = store
        self.settings = settings
        self.journal = journal
        self.time = time
        self.attempts = AttemptGuard(settings.attempts)
        self.passwords = PasswordHasher(settings)
        self.accessTokens = AccessTokens(secret, applications, settings)
        self.legacyTokens = LegacyTokens(secret, life: settings.legacyLife)
        self.nameKey = secret.key(for: "names of deleted users")
        self.applications = Dictionary(applications.map { ($0.id, $0) }) { first, _ in first }
        try self.recallRestrictions()
    }

    /// Calls `observer` at every change, on whatever thread it happens: it passes the change on to its loops.
    ///
    /// A caller that lets a client in on a token asks `check` once more when the connection stands where the observer
    /// finds it, so that nothing slips in between.
    package func observe(_ observer: @escaping @Sendable (IdentityChange) -> Void) {
        self.observers.withLock { $0.append(observer) }
    }

    /// To ask; the lock is not held meanwhile.
    var revocationsNow: Revocations { self.revocations.withLock { $0 } }

    func tellObservers(_ change: IdentityChange) {
        self.publisher.withLock { $0 }(change)
        self.tellObserversHere(change)
    }

    func tellObserversHere(_ change: IdentityChange) {
        for observer in self.observers.withLock({ $0 }) { observer(change) }
    }
}

// MARK: - Signing in

extension Accounts {
    /// A new id for a user who gives no name. The refresh token keeps it for them.
    package func signInAnonymously(
        as displayName: DisplayName? = nil, from address: IPAddress
    ) async throws(IdentityRefusal) -> SignIn {
        try self.demandOpen(.anonymous)
        try self.attempts.createsAccount(from: address, at: self.time.steady())
        let user = StoredUser(id: self.newUserID(), displayName: displayName, created: self.time.wall())
        guard try await self.ask(AddUser(user)) == .added else { throw .unavailable }
        return try await self.begin(user, longLived: nil)
    }

    package func register(_ form: Registration, from address: IPAddress) async throws(IdentityRefusal) -> SignIn {
        try self.demandOpen(.register)
        let name = try form.checkedName(self.settings)
        try self.attempts.createsAccount(from: address, at: self.time.steady())
        let hash = try await self.passwords.hash(form.password, from: address)
        let user = StoredUser(
            id: self.newUserID(), name: name, passwordHash: hash, displayName: form.displayName,
            avatar: form.avatar, created: self.time.wall())
        let (token, kept) = self.legacyTokens.issued(to: user.id, version: 1, at: self.time.wall())
        switch try await self.ask(AddUser(user, kept, nameHash: self.nameHash(name))) {
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
        // No account can have such a name.
        guard let name = try? UserName(name) else { throw .wrongCredentials }
        let user = try await self.user(name, provenBy: password, from: address)
        try self.revocationsNow.checkMayEnter(user.id, at: self.time.wall())
        return try await self.begin(user, longLived: try await self.currentLegacyToken(of: user.id))
    }

    /// The user with this name and password. Guessing has a limit.
    func user(
        _ name: UserName, provenBy password: String, from address: IPAddress
    ) async throws(IdentityRefusal) -> StoredUser {
        // It cannot have been registered, and an attacker must not choose what is hashed and remembered.
        guard password.utf8.count <= self.settings.maximumPasswordBytes else { throw .wrongCredentials }
        let attempt = try self.attempts.began(account: name.text, from: address, at: self.time.steady())
        do throws(IdentityRefusal) {
            let user = try await self.checked(name, password, from: address)
            self.attempts.succeeded(attempt)
            return user
        } catch {
            if error == .unavailable { self.attempts.cancelled(attempt) }
            throw error
        }
    }

    private func checked(
        _ name: UserName, _ password: String, from address: IPAddress
    ) async throws(IdentityRefusal) -> StoredUser {
        let user = try await self.ask(FindUser.name(name))
        let verdict = try await self.passwords.check(password, against: user?.passwordHash, from: address)
        guard let user, verdict != .wrong else { throw .wrongCredentials }
        if case .rightAndRenewed(let hash) = verdict {
            _ = try await self.ask(SetCredential(.passwordHash(hash), of: user.id))
        }
        return user
    }

    package var signInMethods: SignInMethods { self.settings.signIn }

    func demandOpen(_ method: SignInMethods) throws(IdentityRefusal) {
        guard self.settings.signIn.contains(method) else { throw .closed }
    }

    /// A user who was authenticated gets tokens of their own.
    func begin(_ user: StoredUser, longLived: SignIn.Token?) async throws(IdentityRefusal) -> SignIn {
        let now = self.time.wall()
        let refresh = RefreshToken(family: .drawn())
        let expiry = now + self.settings.refreshLife
        let family = RefreshFamily(id: refresh.family, user: user.id, current: refresh.hash, expiry: expiry)
        try await self.ask(BeginRefreshFamily(family, at: now))
        let (identity, access) = try self.issueAccess(user, user.kind, in: refresh.family)
        return SignIn(
            identity: identity, name: user.name, access: access,
            refresh: SignIn.Token(text: refresh.text, expiry: expiry), longLived: longLived)
    }

    /// On a command line, an id that begins with a dash would be an option.
    private func newUserID() -> UserID {
        var token = RandomToken.drawn()
        while token.text.utf8.first == UInt8(ascii: "-") { token = .drawn() }
        return UserID(token)
    }
}

// MARK: - Refreshing

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
        let (identity, access) = try self.issueAccess(user, user.kind, in: shown.family)
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
            try await self.ended(presentation.family)
            throw .refreshReused
        }
    }

    /// Ends what follows from one sign-in. Saying it twice, or with a wrong token, changes nothing.
    package func signOut(_ text: String) async throws(IdentityRefusal) {
        guard let token = RefreshToken(text) else { return }
        for family in try await self.ask(EndRefreshFamilies.shown(token.family, hash: token.hash)) {
            try await self.ended(family)
        }
    }

    /// What else follows from a sign-in that has ended: access tokens, and the sockets that live by them.
    func ended(_ family: RandomToken) async throws(IdentityRefusal) {
        let token = RevokedToken(
            id: Revocations.name(of: family), expiry: self.time.wall() + self.settings.accessLife)
        self.revocations.withLock { $0.revokedToken(token.id, until: token.expiry) }
        self.tellObservers(.familyEnded(family))
        try await self.ask(RevokeToken(token))
    }
}

// MARK: - Tokens

extension Accounts {
    /// Who an access token, or an application's token, speaks for. Answers on the spot.
    package func identity(ofToken text: String) throws(IdentityRefusal) -> Identity {
        let now = self.time.wall()
        let identity = try self.accessTokens.verified(text, at: now)
        if identity.kind == .application { try self.demandOpen(.applications) }
        try self.revocationsNow.check(identity, at: now)
        return identity
    }

    /// Who a long-lived token speaks for. The store has to be asked, since nothing can be read from it.
    package func identity(ofLegacyToken text: String) async throws(IdentityRefusal) -> Identity {
        let start = self.time.wall()
        let serial = self.revocationsNow.serial
        guard let hash = LegacyTokens.storedHash(of: text) else { throw .token(.malformed) }
        guard let user = try await self.ask(FindUser.tokenHash(hash, at: start)),
            let token = try await self.ask(FindLongLivedToken(of: user.id)), token.hash == hash
        else { throw .token(.badSignature) }
        let now = self.time.wall()
        let revocations = self.revocationsNow
        try revocations.checkStillGood(user.id, since: serial, at: now)
        let issuedAt = WallTime(seconds: revocations.issueSecond(for: user.id, at: now))
        let identity = Identity(legacyTokenOf: user, token, issuedAt: issuedAt)
        try revocations.check(identity, at: now)
        return identity
    }

    /// Signs an access token for a user whose right to it was checked just now.
    private func issueAccess(
        _ user: StoredUser, _ kind: Identity.Kind, in family: RandomToken?, isForOneUse: Bool = false
    ) throws(IdentityRefusal) -> (Identity, SignIn.Token) {
        let second = self.revocationsNow.issueSecond(for: user.id, at: self.time.wall())
        do throws(SecureError) {
            return try self.accessTokens.issued(
                to: user, kind, in: family, at: WallTime(seconds: second), isForOneUse: isForOneUse)
        } catch {
            self.journal.error(.accountsFailed, "a token could not be signed", [.error: .error(error)])
            throw .unavailable
        }
    }

    /// The same as at the last login while it is good; a new one when it has ended.
    private func currentLegacyToken(of user: UserID) async throws(IdentityRefusal) -> SignIn.Token {
        let kept = try await self.ask(FindLongLivedToken(of: user))
        if let kept, let token = self.legacyTokens.token(of: user, kept, at: self.time.wall()) { return token }
        return try await self.renewLegacyToken(of: user, after: kept)
    }

    @discardableResult
    private func renewLegacyToken(
        of user: UserID, after kept: LongLivedToken?
    ) async throws(IdentityRefusal) -> SignIn.Token {
        let version = (kept?.version ?? 0) &+ 1
        let (token, next) = self.legacyTokens.issued(to: user, version: version, at: self.time.wall())
        _ = try await self.ask(SetCredential(.token(next), of: user))
        return token
    }
}

// MARK: - Calling back

// What is called back counts in memory first and at once, then all observers hear of it, and last it is
// written down. So even when the disk fails no revoked client stays in; the caller hears that it may not outlast a restart.

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
    /// clients that came in on it are called back by its name.
    private func replaceLegacyToken(of user: UserID) async throws(IdentityRefusal) {
        guard let kept = try await self.ask(FindLongLivedToken(of: user)) else { return }
        let tokenID = Identity.legacyTokenID(of: user, kept)
        self.revocations.withLock { $0.revokedToken(tokenID, until: kept.expiry) }
        self.tellObservers(.tokenRevoked(tokenID: tokenID))
        try await self.renewLegacyToken(of: user, after: kept)
    }

    /// No client gets in as this user before `end`, with whatever token.
    package func ban(_ user: UserID, until end: WallTime) async throws(IdentityRefusal) {
        self.revocations.withLock { $0.banned(user, until: end) }
        self.tellObservers(.banned(user, until: end))
        self.journal.notice(.accountsBanned, "a user is banned", [.user: .private(user.text)])
        try await self.store(restrictionOf: user)
    }

    package func unban(_ user: UserID) async throws(IdentityRefusal) {
        self.revocations.withLock { $0.unbanned(user) }
        self.tellObservers(.unbanned(user))
        self.journal.notice(.accountsUnbanned, "a user may come in again", [.user: .private(user.text)])
        try await self.store(restrictionOf: user)
    }

    /// Whether a client that is in already may stay: asked again when a connection is resumed.
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

    func store(restrictionOf user: UserID) async throws(IdentityRefusal) {
        let now = self.time.wall()
        let restriction = self.revocations.withLock { revocations in
            Restriction(
                user: user, notBefore: revocations.notBefore(of: user), bannedUntil: revocations.ban(of: user, at: now))
        }
        try await self.ask(SetRestriction(restriction))
    }
}

// MARK: - Applications

extension Accounts {
    /// What an application's server asks for: a token for one of its users. The secret never leaves that server.
    package func issueToken(
        for id: UserID, displayName: DisplayName?, avatar: AvatarLink?, application: String, secret: String,
        isForOneUse: Bool = false, from address: IPAddress
    ) async throws(IdentityRefusal) -> (Identity, SignIn.Token) {
        try self.demandOpen(.applications)
        try self.check(application: application, secret: secret, from: address)
        guard self.mayVouch(application, for: id.text) else { throw .foreignUser }
        try self.revocationsNow.checkMayEnter(id, at: self.time.wall())
        let user = StoredUser(id: id, displayName: displayName, avatar: avatar, created: self.time.wall())
        // So that others can look up who this is.
        let introduction = Introduction(id, displayName: displayName, avatar: avatar, at: user.created)
        _ = try await self.ask(introduction)
        return try self.issueAccess(user, .application, in: nil, isForOneUse: isForOneUse)
    }

    /// Neither deleted nor banned.
    package func checkMayEnter(_ user: UserID) throws(IdentityRefusal) {
        try self.revocationsNow.checkMayEnter(user, at: self.time.wall())
    }

    /// Whether an application may speak of the user, or of the order, with this id.
    package func mayVouch(_ application: String, for id: String) -> Bool {
        self.applications[application]?.realm.holds(id) == true
    }

    /// A secret is shown that is not kept here: an address that shows wrong ones has to wait.
    package func attempt(from address: IPAddress, _ isRight: () -> Bool) throws(IdentityRefusal) {
        let attempt = try self.attempts.began(account: nil, from: address, at: self.time.steady())
        guard isRight() else { throw .wrongApplication }
        self.attempts.succeeded(attempt)
    }

    /// Whether another program is who it says. Guessing has a limit.
    package func check(
        application: String, secret: String, from address: IPAddress
    ) throws(IdentityRefusal) {
        try self.attempt(from: address) { self.applications[application]?.isSecret(secret) == true }
    }
}

// MARK: - Profiles

extension Accounts {
    /// Nil for a user of whom nothing is known.
    package func profile(of user: UserID) async throws(IdentityRefusal) -> Profile? {
        try await self.ask(FindProfiles(of: [user])).first
    }

    /// All users with a name, page by page: pass the last name of the page before.
    package func members(after name: UserName?, limit: Int) async throws(IdentityRefusal) -> [Profile] {
        try await self.ask(ListUsers(after: name?.text ?? "", limit: limit)).map(Profile.init)
    }

    /// So many of those with a name, in its order.
    package func members(atMost limit: Int) async throws(IdentityRefusal) -> [Profile] {
        var members: [Profile] = []
        while members.count < limit {
            let wanted = min(limit - members.count, Self.pageOfMembers)
            let page = try await self.members(after: members.last?.signInName, limit: wanted)
            members += page
            if page.count < wanted { break }
        }
        return members
    }

    /// What the store is asked for at once, so that other requests do not wait long.
    private static let pageOfMembers = 1000
}

extension Profile {
    fileprivate init(_ user: StoredUser) {
        self.init(user.id, signInName: user.name, displayName: user.displayName, avatar: user.avatar)
    }
}

// MARK: - The store

extension Accounts {
    /// Asks the store and waits without keeping a thread.
    func ask<Request: StoreRequest>(_ request: Request) async throws(IdentityRefusal) -> Request.Answer {
        let result = await withCheckedContinuation { continuation in
            self.store.send(request) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let value): return value
        case .failure(let error):
            self.journal.error(.accountsFailed, "the store did not answer", [.error: .error(error)])
            throw .unavailable
        }
    }

    private func recallRestrictions() throws(StoreError) {
        let now = self.time.wall()
        let kept = try self.wait(for: RecallRestrictions(at: now, tokensSince: self.oldestLivingToken))
        let deleted = try self.wait(for: ListDeletedUsers.all)
        self.revocations.withLock { revocations in
            for token in kept?.1 ?? [] { revocations.revokedToken(token.id, until: token.expiry) }
            for restriction in kept?.0 ?? [] {
                if let time = restriction.notBefore { revocations.revokedUser(restriction.user, upTo: time) }
                if let time = restriction.bannedUntil { revocations.banned(restriction.user, until: time) }
            }
            for user in deleted ?? [] { revocations.deleted(user) }
        }
    }

    /// Blocks: only while the service starts.
    private func wait<Request: StoreRequest>(for request: Request) throws(StoreError) -> Request.Answer? {
        let answered = Gate()
        let answer = Locked<Result<Request.Answer, StoreError>?>(nil)
        self.store.send(request) { result in
            answer.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        return try answer.withLock({ $0 })?.get()
    }

    /// Whatever was issued before has ended.
    var oldestLivingToken: WallTime {
        let lives = [self.settings.accessLife, self.settings.applicationLife, self.settings.vouchedLife]
        return self.time.wall() + (.zero - (lives.max() ?? .zero))
    }
}

extension LogName {
    static let accountsFailed = LogName("accounts.failed")
    fileprivate static let accountsTheft = LogName("accounts.refresh_token_reused")
    fileprivate static let accountsRevoked = LogName("accounts.revoked")
    fileprivate static let accountsBanned = LogName("accounts.banned")
    fileprivate static let accountsUnbanned = LogName("accounts.unbanned")
}
