internal import System
internal import Reactor
internal import Secure

/// Hashes passwords on helper threads, a bounded number at a time.
final class PasswordHasher: Sendable {
    private let helpers: EventLoop
    private let cost: PasswordCost
    private let limit: Int
    private let waiting = Locked(0)
    /// Checked when there is no such user, so that the answer takes as long as for one who exists.
    private let decoy: PasswordHash?

    init(_ helpers: EventLoop, _ settings: AccountSettings) {
        self.helpers = helpers
        self.cost = settings.passwordCost
        self.limit = settings.waitingPasswords
        let cost = "ln=\(self.cost.logarithm),r=\(self.cost.blockSize),p=\(self.cost.parallelism)"
        let nothing = String(repeating: "A", count: 22)
        self.decoy = PasswordHash("$scrypt$\(cost)$\(nothing)$\(nothing)")
    }

    enum Verdict: Hashable, Sendable {
        case wrong
        case right
        /// Right, and here is a hash with today's cost.
        case rightAndRenewed(String)
    }

    func hash(_ password: String) async throws(IdentityRefusal) -> String {
        let cost = self.cost
        return try await self.work { () throws(SecureError) in try PasswordHash(hashing: password, cost: cost).text }
    }

    /// - Parameter stored: nil when there is no such user or no password.
    func check(_ password: String, against stored: String?) async throws(IdentityRefusal) -> Verdict {
        let cost = self.cost
        let known = stored.flatMap { PasswordHash($0) }
        let decoy = self.decoy
        return try await self.work { () throws(SecureError) in
            guard let hash = known ?? decoy, try hash.matches(password), known != nil else { return .wrong }
            guard hash.needsRenewal(for: cost) else { return .right }
            return .rightAndRenewed(try PasswordHash(hashing: password, cost: cost).text)
        }
    }

    private func work<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SecureError) -> Value
    ) async throws(IdentityRefusal) -> Value {
        guard self.mayWait() else { throw .unavailable }
        let result = await self.helpers.help { () -> Result<Value, SecureError> in
            do throws(SecureError) { return .success(try body()) } catch { return .failure(error) }
        }
        self.waiting.withLock { $0 -= 1 }
        guard case .success(let value) = result else { throw .unavailable }
        return value
    }

    private func mayWait() -> Bool {
        self.waiting.withLock { waiting in
            guard waiting < self.limit else { return false }
            waiting += 1
            return true
        }
    }
}

extension EventLoop {
    /// Does `work` on a helper thread.
    fileprivate func help<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            self.execute { reactor in reactor.offload(work) { continuation.resume(returning: $0) } }
        }
    }
}
