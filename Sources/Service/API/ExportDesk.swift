internal import Operations
internal import Pacing
internal import Vocabulary

/// Who may export what they have here now: one at a time of each user, some at once of all, and not again and again. Lives
/// on the home loop.
final class ExportDesk {
    private var underWay: Set<UserID> = []
    private var begun = AttemptLimiter<UserID>(
        .init(
            free: 3, firstDelay: .seconds(60), maximumDelay: .seconds(3600), forgetsAfter: .seconds(86_400)))

    static let maximumAtOnce = 16

    func begin(_ user: UserID, at now: Instant) throws(RequestError) {
        guard !self.underWay.contains(user) else {
            throw RequestError(.rateLimited, "one export at a time", retryAfter: .seconds(10))
        }
        guard self.underWay.count < Self.maximumAtOnce else {
            throw RequestError(.unavailable, "too many users export at once", retryAfter: .seconds(60))
        }
        do throws(AttemptLimiter<UserID>.Refusal) {
            try self.begun.began(user, at: now)
        } catch {
            throw RequestError(.rateLimited, "too many exports", retryAfter: error.retryAfter)
        }
        self.underWay.insert(user)
    }

    func end(_ user: UserID) { self.underWay.remove(user) }
}
