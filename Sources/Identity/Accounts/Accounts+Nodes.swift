internal import Keeping
internal import System
internal import Vocabulary

extension Accounts {
    /// Calls `publisher` at every change that this node makes.
    package func publish(by publisher: @escaping @Sendable (IdentityChange) -> Void) {
        self.publisher.withLock { $0 = publisher }
    }

    /// Another node has called something back, and keeps it.
    package func heard(_ change: IdentityChange) {
        let life = max(self.settings.accessLife, self.settings.applicationLife, self.settings.legacyLife)
        let end = self.time.wall() + life
        self.revocations.withLock { revocations in
            switch change {
            case .tokenRevoked(let id): revocations.revokedToken(id, until: end)
            case .familyEnded(let family): revocations.revokedToken(Revocations.name(of: family), until: end)
            case .userRevoked(let user, let time): revocations.revokedUser(user, upTo: time)
            case .banned(let user, let end): revocations.banned(user, until: end)
            case .unbanned(let user): revocations.unbanned(user)
            case .deleted(let user): revocations.deleted(user)
            }
        }
        self.tellObserversHere(change)
    }

    /// Calls `publisher` with all that is counted of those who guess here.
    package func publishAttempts(by publisher: @escaping @Sendable (AttemptNews) -> Void) {
        self.attempts.publisher.withLock { $0 = publisher }
    }

    /// What another node has counted.
    package func heard(_ news: AttemptNews) { self.attempts.heard(news, at: self.time.steady()) }

    /// What other nodes have called back while this one did not hear them.
    package func recall() async throws(IdentityRefusal) {
        let kept = try await self.ask(RecallRestrictions(at: self.time.wall(), tokensSince: self.oldestLivingToken))
        let deleted = try await self.ask(ListDeletedUsers.all)
        // Who came in since may stay, so nothing is said twice.
        let known = self.revocationsNow
        for token in kept.1 where !known.isRevoked(token.id) { self.heard(.tokenRevoked(tokenID: token.id)) }
        for restriction in kept.0 {
            let (user, now) = (restriction.user, self.time.wall())
            if let time = restriction.notBefore, known.notBefore(of: user).map({ $0 < time }) ?? true {
                self.heard(.userRevoked(user, upTo: time))
            }
            guard restriction.bannedUntil != known.ban(of: user, at: now) else { continue }
            self.heard(restriction.bannedUntil.map { .banned(user, until: $0) } ?? .unbanned(user))
        }
        for user in deleted where !known.isDeleted(user) { self.heard(.deleted(user)) }
    }
}
