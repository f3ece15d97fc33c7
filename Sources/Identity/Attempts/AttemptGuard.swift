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

        fileprivate init(account: String?, from address: IPAddress) {
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
        return attempt
    }

    /// The address keeps its earlier failures: one good account of its own must not wash an attacker clean.
    func succeeded(_ attempt: Attempt) {
        self.books.withLock { books in
            for (book, key) in attempt.keys {
                switch book {
                case .account, .accountFromSite: books.attempts[book]?.reset(key)
                case .address, .site: books.attempts[book]?.cancelled(key)
                }
            }
        }
    }

    /// The client learnt nothing, because the server could not answer.
    func cancelled(_ attempt: Attempt) {
        self.books.withLock { books in
            for (book, key) in attempt.keys { books.attempts[book]?.cancelled(key) }
        }
    }

    func createsAccount(from address: IPAddress, at now: Instant) throws(IdentityRefusal) {
        do throws(AttemptLimiter<String>.Refusal) {
            try self.books.withLock { books throws(AttemptLimiter<String>.Refusal) in
                try books.creations.began(address.clientPrefix.description, at: now)
            }
        } catch {
            throw .tooManyAttempts(retryAfter: error.retryAfter)
        }
    }
}
