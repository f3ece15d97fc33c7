internal import Secure
internal import System
internal import Vocabulary

/// Hashes passwords on threads that do nothing else, for one client prefix after the other: a flood of logins from one keeps
/// neither files nor the others waiting.
final class PasswordHasher: Sendable {
    private let queue: FairMailbox<IPAddress, @Sendable () -> Void>
    private let cost: PasswordCost
    /// Checked when there is no such user, so that the answer takes as long as for one who exists.
    private let decoy: PasswordHash?

    init(_ settings: AccountSettings) {
        let queue = FairMailbox<IPAddress, @Sendable () -> Void>(
            limit: settings.waitingPasswords, ofSender: settings.waitingPasswordsOfPrefix)
        self.queue = queue
        self.cost = settings.passwordCost
        let cost = "ln=\(self.cost.logarithm),r=\(self.cost.blockSize),p=\(self.cost.parallelism)"
        let nothing = String(repeating: "A", count: 22)
        self.decoy = PasswordHash("$scrypt$\(cost)$\(nothing)$\(nothing)")
        // Half of the cores, so that the other half is there for everybody else.
        for _ in 0..<max(1, CurrentProcess.processorCount / 2) {
            _ = Thread.start({ while let job = queue.take() { job() } }, atEnd: {})
        }
    }

    deinit { self.queue.close() }

    enum Verdict: Hashable, Sendable {
        case wrong
        case right
        /// Right, and here is a hash with today's cost.
        case rightAndRenewed(String)
    }

    func hash(_ password: String, from address: IPAddress) async throws(IdentityRefusal) -> String {
        let cost = self.cost
        return try await self.work(for: address) { () throws(SecureError) in
            try PasswordHash(hashing: password, cost: cost).text
        }
    }

    /// - Parameter stored: nil when there is no such user or no password.
    func check(
        _ password: String, against stored: String?, from address: IPAddress
    ) async throws(IdentityRefusal) -> Verdict {
        let cost = self.cost
        let known = stored.flatMap { PasswordHash($0) }
        let decoy = self.decoy
        return try await self.work(for: address) { () throws(SecureError) in
            guard let hash = known ?? decoy, try hash.matches(password), known != nil else { return .wrong }
            guard hash.needsRenewal(for: cost) else { return .right }
            return .rightAndRenewed(try PasswordHash(hashing: password, cost: cost).text)
        }
    }

    private func work<Value: Sendable>(
        for address: IPAddress, _ body: @escaping @Sendable () throws(SecureError) -> Value
    ) async throws(IdentityRefusal) -> Value {
        let result: Result<Value, SecureError>? = await withCheckedContinuation { continuation in
            let job: @Sendable () -> Void = {
                continuation.resume(returning: Result { () throws(SecureError) in try body() })
            }
            do throws(FairMailbox<IPAddress, @Sendable () -> Void>.Refusal) {
                try self.queue.post(job, from: address.clientPrefix)
            } catch {
                continuation.resume(returning: nil)
            }
        }
        guard case .success(let value) = result else { throw .unavailable }
        return value
    }
}
