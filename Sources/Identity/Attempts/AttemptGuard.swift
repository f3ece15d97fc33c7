internal import System
internal import Pacing
internal import Vocabulary

/// Keeps count of attempts for all loops.
final class AttemptGuard: Sendable {
    private struct Books {
        var accounts: AttemptLimiter<String>
        var addresses: AttemptLimiter<String>
        var creations: AttemptLimiter<String>
    }

    private let books: Locked<Books>

    init(_ limits: AttemptLimits) {
        self.books = Locked(
            Books(
                accounts: AttemptLimiter(limits.account), addresses: AttemptLimiter(limits.address),
                creations: AttemptLimiter(limits.creation)))
    }

    /// An attempt that has begun: say how it went, or it counts as failed.
    struct Attempt: Sendable {
        let account: String?
        let address: String
    }

    /// A client shows a password or another secret.
    func began(account: String?, from address: IPAddress, at now: Instant) throws(IdentityRefusal) -> Attempt {
        let attempt = Attempt(account: account?.lowercased(), address: address.clientPrefix.description)
        do throws(AttemptLimiter<String>.Refusal) {
            try self.books.withLock { books throws(AttemptLimiter<String>.Refusal) in
                try books.addresses.began(attempt.address, at: now)
                guard let account = attempt.account else { return }
                do throws(AttemptLimiter<String>.Refusal) {
                    try books.accounts.began(account, at: now)
                } catch {
                    books.addresses.cancelled(attempt.address)
                    throw error
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
            books.addresses.cancelled(attempt.address)
            if let account = attempt.account { books.accounts.reset(account) }
        }
    }

    /// The client learnt nothing, because the server could not answer.
    func cancelled(_ attempt: Attempt) {
        self.books.withLock { books in
            books.addresses.cancelled(attempt.address)
            if let account = attempt.account { books.accounts.cancelled(account) }
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
