internal import Keeping
internal import Operations
internal import Pacing
internal import Vocabulary

/// How many conversations users begin, and into how many groups others put them who never heard from them. What is allowed
/// is taken first and given back when it was not needed, since only the store knows who wrote to whom.
struct ContactLimiter {
    /// As with calls: each leaves something with somebody who did not ask for it.
    private var beginnings = UserBuckets(TokenBucket.Rate(perSecond: 1, burst: 30))
    private var groups = UserBuckets(TokenBucket.Rate(perSecond: 20 / 3600, burst: 20))

    /// What a request may begin, and whom it brings along.
    struct Claim {
        let user: UserID
        let begins: Bool
        let brought: Set<UserID>
        fileprivate(set) var approach = Approach()
    }

    mutating func claim(by user: UserID, begins: Bool, bringing users: [UserID], at now: Instant) -> Claim {
        let others = Set(users).subtracting([user])
        let mayBegin = !begins || self.beginnings.take(by: user, at: now) == nil
        var crowded: Set<UserID> = []
        for other in others where self.groups.take(by: other, at: now) != nil { crowded.insert(other) }
        return Claim(
            user: user, begins: begins && mayBegin, brought: others.subtracting(crowded),
            approach: Approach(mayBegin: mayBegin, crowded: crowded))
    }

    mutating func settle(_ claim: Claim, _ result: Result<ChangeOutcome, RequestError>) {
        let (hasBegun, strangers): (Bool, Set<UserID>) =
            switch result {
            case .success(let outcome): (!outcome.isRepeated && !outcome.came.isEmpty, outcome.strangers)
            // A name that is taken is seen before anything is written; what is refused later may have left a trace.
            case .failure(let error): (error.code != .conflict, [])
            }
        if claim.begins, !hasBegun { self.beginnings.giveBack(to: claim.user) }
        for user in claim.brought.subtracting(strangers) { self.groups.giveBack(to: user) }
    }
}
