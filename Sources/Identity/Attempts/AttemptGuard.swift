internal import System
internal import Pacing
internal import Vocabulary

/// Keeps count of attempts for all loops.
final class AttemptGuard: Sendable {
    /// One way to count attempts.
    fileprivate enum Book: Hashable {
        case account, accountFromSite, address, site
    }

    private struct Books {
        var attempts: [Book: AttemptLimiter<String>]
        var creations: AttemptLimiter<String>
    }

    private let books: Locked<Books>
    /// Called with everything that is counted here.
    let publisher = Locked<@Sendable (AttemptNews) -> Void>({ _ in })

    init(_ limits: AttemptLimits) {
        self.books = Locked(
            Books(
                attempts: [
                    .account: AttemptLimiter(limits.account), .accountFromSite: AttemptLimiter(limits.accountFromSite),
                    .address: AttemptLimiter(limits.address), .site: AttemptLimiter(limits.site),
                ], creations: AttemptLimiter(limits.creation)))
    }

    /// An attempt that has begun: say how it went, or it counts as failed.
    struct Attempt: Sendable {
        fileprivate var keys: [(book: Book, key: String)]
        fileprivate let account: String?
        fileprivate let address: IPAddress

        fileprivate init(account: String?, from address: IPAddress) {
            (self.account, self.address) = (account, address)
            let (prefix, site) = (address.clientPrefix.description, address.sitePrefix.description)
            self.keys = [(.address, prefix)]
            if let account { self.keys.append((.account, "\(account.lowercased()) \(prefix)")) }
            // In IPv4 a site is an address, which is counted already.
            guard case .v6 = address.unmapped else { return }
            self.keys.append((.site, site))
            if let account { self.keys.append((.accountFromSite, "\(account.lowercased()) \(site)")) }
        }
    }

    /// A client shows a password or another secret.
    func began(account: String?, from address: IPAddress, at now: Instant) throws(IdentityRefusal) -> Attempt {
        let attempt = Attempt(account: account, from: address)
        try self.count(attempt, at: now)
        self.publish(.began, attempt)
        return attempt
    }

    private func count(_ attempt: Attempt, at now: Instant) throws(IdentityRefusal) {
        do throws(AttemptLimiter<String>.Refusal) {
            try self.books.withLock { books throws(AttemptLimiter<String>.Refusal) in
                for (index, (book, key)) in attempt.keys.enumerated() {
                    do throws(AttemptLimiter<String>.Refusal) {
                        try books.attempts[book]?.began(key, at: now)
                    } catch {
                        for (book, key) in attempt.keys[..<index] { books.attempts[book]?.cancelled(key) }
                        throw error
                    }
                }
            }
        } catch {
            throw .tooManyAttempts(retryAfter: error.retryAfter)
        }
    }

    private func publish(_ word: AttemptNews.Word, _ attempt: Attempt) {
        self.publisher.withLock { $0 }(AttemptNews(word, account: attempt.account, from: attempt.address))
    }

    /// What another node has counted.
    func heard(_ news: AttemptNews, at now: Instant) {
        let attempt = Attempt(account: news.account, from: news.address)
        switch news.word {
        // What it would refuse is counted enough.
        case .began: try? self.count(attempt, at: now)
        case .succeeded: self.uncount(attempt, hasSucceeded: true)
        case .cancelled: self.uncount(attempt, hasSucceeded: false)
        case .created: try? self.countCreation(from: news.address, at: now)
        }
    }

    /// The address keeps its earlier failures: one good account of its own must not wash an attacker clean.
    func succeeded(_ attempt: Attempt) {
        self.uncount(attempt, hasSucceeded: true)
        self.publish(.succeeded, attempt)
    }

    /// The client learnt nothing, because the server could not answer.
    func cancelled(_ attempt: Attempt) {
        self.uncount(attempt, hasSucceeded: false)
        self.publish(.cancelled, attempt)
    }

    private func uncount(_ attempt: Attempt, hasSucceeded: Bool) {
        self.books.withLock { books in
            for (book, key) in attempt.keys {
                switch book {
                case .account where hasSucceeded, .accountFromSite where hasSucceeded:
                    books.attempts[book]?.reset(key)
                default: books.attempts[book]?.cancelled(key)
                }
            }
        }
    }

    func createsAccount(from address: IPAddress, at now: Instant) throws(IdentityRefusal) {
        try self.countCreation(from: address, at: now)
        self.publisher.withLock { $0 }(AttemptNews(.created, from: address))
    }

    private func countCreation(from address: IPAddress, at now: Instant) throws(IdentityRefusal) {
        do throws(AttemptLimiter<String>.Refusal) {
            try self.books.withLock { books throws(AttemptLimiter<String>.Refusal) in
                try books.creations.began(address.clientPrefix.description, at: now)
            }
        } catch {
            throw .tooManyAttempts(retryAfter: error.retryAfter)
        }
    }
}
