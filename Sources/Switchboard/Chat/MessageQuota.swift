internal import Conversing
internal import Keeping
internal import Operations
internal import Pacing
internal import Vocabulary

/// How many bytes a user may add to conversations in a day. It is kept in memory, and full again when the server starts.
struct MessageQuota {
    private var buckets: UserBuckets
    private let maximumBodyBytes: Int

    /// About what an entry takes beside its words.
    private static let entryBytes = 256
    private static let secondsPerDay = 86_400.0

    struct Claim {
        let user: UserID
        let bytes: Int
    }

    init(_ settings: ConversationSettings) {
        let bytes = Double(max(settings.maximumDailyBytes, settings.maximumBodyBytes + Self.entryBytes))
        self.buckets = UserBuckets(TokenBucket.Rate(perSecond: bytes / Self.secondsPerDay, burst: bytes))
        self.maximumBodyBytes = settings.maximumBodyBytes
    }

    mutating func claim(_ request: ChangeRequest, at now: Instant) throws(RequestError) -> Claim {
        let bytes = Self.entryBytes + self.bodyBytes(of: request)
        if let wait = self.buckets.take(Double(bytes), by: request.actor, at: now) {
            throw RequestError(.rateLimited, "you have said as much as one may in a day", retryAfter: wait)
        }
        return Claim(user: request.actor, bytes: bytes)
    }

    /// Of a message that is forwarded only the store knows how long it is.
    private func bodyBytes(of request: ChangeRequest) -> Int {
        if request.original != nil { return self.maximumBodyBytes }
        switch request.change {
        case .post(let draft): return draft.body.json.count
        case .edit(_, let body): return body.json.count
        case .recall, .react, .pin, .invite, .join, .leave, .remove, .rename, .setRole, .silence, .dissolve: return 0
        }
    }

    mutating func settle(_ claim: Claim, _ result: Result<ChangeOutcome, RequestError>) {
        var used = 0
        if case .success(let outcome) = result, !outcome.isRepeated {
            used = Self.entryBytes + (outcome.entry.body?.count ?? 0)
        }
        if used < claim.bytes { self.buckets.giveBack(Double(claim.bytes - used), to: claim.user) }
    }
}
