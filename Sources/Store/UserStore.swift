package import Vocabulary

/// Where accounts are kept. Every call comes back at once; its answer comes later, on a thread of the store's, and
/// says only what is safe on the disk.
package protocol UserStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    func add(_ user: StoredUser, _ token: LongLivedToken?, _ answer: @escaping Answer<AddedUser>)
    func user(_ id: UserID, _ answer: @escaping Answer<StoredUser?>)
    /// As it was registered, letter by letter.
    func user(named name: UserName, _ answer: @escaping Answer<StoredUser?>)
    func user(withTokenHash hash: [UInt8], at now: WallTime, _ answer: @escaping Answer<StoredUser?>)
    /// Everybody with a name, in the order of the names, from the one after `name`.
    func users(after name: String, limit: Int, _ answer: @escaping Answer<[StoredUser]>)
    func longLivedToken(of id: UserID, _ answer: @escaping Answer<LongLivedToken?>)

    /// These say whether there was such a user.
    func setPasswordHash(_ hash: String, of id: UserID, _ answer: @escaping Answer<Bool>)
    func setLongLivedToken(_ token: LongLivedToken, of id: UserID, _ answer: @escaping Answer<Bool>)
}

package enum AddedUser: Hashable, Sendable {
    case added
    /// Somebody has this name, perhaps in other letters' case.
    case nameTaken
    case idTaken
}

/// Where refresh tokens are kept.
package protocol RefreshTokenStore: UserStore {
    /// The user's oldest families end when there are too many.
    func begin(_ family: RefreshFamily, at now: WallTime, _ answer: @escaping Answer<Void>)
    func present(_ presentation: RefreshPresentation, _ answer: @escaping Answer<RefreshOutcome>)
    /// The user whose family it was.
    func endFamily(_ id: RandomToken, _ answer: @escaping Answer<UserID?>)
    func endFamilies(of user: UserID, _ answer: @escaping Answer<Int>)
}

/// Somebody shows a refresh token and wants the next one.
package struct RefreshPresentation: Hashable, Sendable {
    package let family: RandomToken
    package let hash: [UInt8]
    package let nextHash: [UInt8]
    package let nextExpiry: WallTime
    package let now: WallTime

    package init(family: RandomToken, hash: [UInt8], nextHash: [UInt8], nextExpiry: WallTime, now: WallTime) {
        self.family = family
        self.hash = hash
        self.nextHash = nextHash
        self.nextExpiry = nextExpiry
        self.now = now
    }
}

package enum RefreshOutcome: Hashable, Sendable {
    /// Nil when the user has no account of ours.
    case followed(UserID, StoredUser?)
    case unknown
    case expired
    /// The family has ended now.
    case reused(UserID)
}

/// Where it is kept who and what is held back.
package protocol RestrictionStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Replaces what was said about this user; nothing left to say forgets it.
    func set(_ restriction: Restriction, _ answer: @escaping Answer<Void>)
    func revoke(_ token: RevokedToken, _ answer: @escaping Answer<Void>)
    /// Everything that still matters at `now`. What does not is forgotten.
    func restrictions(
        at now: WallTime, tokensSince: WallTime, _ answer: @escaping Answer<([Restriction], [RevokedToken])>)
}

/// Where calls that are over are kept.
package protocol CallStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Recording one call twice changes nothing.
    func record(_ call: StoredCall, _ answer: @escaping Answer<Void>)
    /// The last ones of a user, newest first, begun before `start`.
    func calls(of user: UserID, before start: WallTime, limit: Int, _ answer: @escaping Answer<[StoredCall]>)
    /// Answers how many there were.
    func forgetCalls(endedBefore end: WallTime, _ answer: @escaping Answer<Int>)
}
