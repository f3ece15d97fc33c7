package import Journal
internal import System
package import Reactor
internal import Secure
package import Keeping
internal import Vocabulary

/// Who may come in: signs people in, believes their tokens, and calls both back.
///
/// What is asked at every connection (`identity(ofToken:)`) is answered on the spot from memory. What needs the store
/// or hashes a password is `async` and keeps no loop waiting: `Reactor.perform` starts it from a loop.
package final class Accounts: Sendable {
    let store: any Store
    let settings: AccountSettings
    let journal: Journal
    let time: Timekeeper
    let attempts: AttemptGuard
    let passwords: PasswordHasher
    let accessKey: SigningKey
    let legacyKey: [UInt8]
    let applications: [String: Application]
    let accessVerifier: TokenVerifier
    let applicationVerifier: TokenVerifier
    let revocations = Locked(Revocations())
    let observers = Locked<[@Sendable (IdentityChange) -> Void]>([])

    static let accessKeyID = "parley-access"
    static let accessType = "at+jwt"

    /// Waits for the store's first answer, so make it before the loops turn and never on one of them.
    ///
    /// - Parameter helpers: the loop whose helper threads hash passwords.
    package init(
        store: any Store, secret: ServerSecret, applications: [Application] = [],
        settings: AccountSettings = AccountSettings(), helpers: EventLoop, journal: Journal = .silent,
        time: Timekeeper = .system
    ) throws(StoreError) {
        self.store = store
        self.settings = settings
        self.journal = journal
        self.time = time
        self.attempts = AttemptGuard(settings.attempts)
        self.passwords = PasswordHasher(helpers, settings)
        self.accessKey = secret.signingKey(id: Self.accessKeyID)
        self.legacyKey = secret.key(for: "long-lived tokens")
        self.applications = Dictionary(applications.map { ($0.id, $0) }) { first, _ in first }
        let name = settings.serviceName
        self.accessVerifier = TokenVerifier(
            KeyRing([self.accessKey]),
            .init(type: Self.accessType, audience: name, issuer: name, maximumLifetime: settings.accessLife))
        self.applicationVerifier = TokenVerifier(
            KeyRing(applications.map(\.key)),
            .init(type: "JWT", audience: name, maximumLifetime: settings.applicationLife))
        try self.recallRestrictions()
    }

    /// Calls `observer` at every change, on whatever thread it happens: it passes the change on to its loops.
    ///
    /// Whoever lets somebody in on a token asks `check` once more when the connection stands where the observer
    /// finds it, so that nothing slips in between.
    package func observe(_ observer: @escaping @Sendable (IdentityChange) -> Void) {
        self.observers.withLock { $0.append(observer) }
    }

    /// To ask; the lock is not held meanwhile.
    var revocationsNow: Revocations { self.revocations.withLock { $0 } }

    func tellObservers(_ change: IdentityChange) {
        for observer in self.observers.withLock({ $0 }) { observer(change) }
    }
}

// MARK: - Helpers of its parts

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

    /// Blocks: only while the service starts.
    private func recallRestrictions() throws(StoreError) {
        let answered = Gate()
        let answer = Locked<Result<([Restriction], [RevokedToken]), StoreError>?>(nil)
        self.store.send(RecallRestrictions(at: self.time.wall(), tokensSince: self.oldestLivingToken)) { result in
            answer.withLock { $0 = result }
            answered.open()
        }
        answered.wait()
        guard let (restrictions, tokens) = try answer.withLock({ $0 })?.get() else { return }
        self.revocations.withLock { revocations in
            for token in tokens { revocations.revokedToken(token.id, until: token.expiry) }
            for restriction in restrictions {
                if let time = restriction.notBefore { revocations.revokedUser(restriction.user, upTo: time) }
                if let time = restriction.bannedUntil { revocations.banned(restriction.user, until: time) }
            }
        }
    }

    /// Whatever was issued before has ended.
    var oldestLivingToken: WallTime {
        self.time.wall() + (.zero - max(self.settings.accessLife, self.settings.applicationLife))
    }
}

extension LogName {
    static let accountsFailed = LogName("accounts.failed")
    static let accountsTheft = LogName("accounts.refresh_token_reused")
    static let accountsRevoked = LogName("accounts.revoked")
    static let accountsBanned = LogName("accounts.banned")
    static let accountsUnbanned = LogName("accounts.unbanned")
}
