package import Vocabulary

/// A user this server keeps an account for.
package struct StoredUser: Hashable, Sendable {
    package let id: UserID
    /// Nil for an anonymous user.
    package var name: UserName?
    /// The stored form of a password hash; nil where there is no password.
    package var passwordHash: String?
    package var displayName: DisplayName?
    package var avatar: AvatarLink?
    package let created: WallTime

    package init(
        id: UserID, name: UserName? = nil, passwordHash: String? = nil, displayName: DisplayName? = nil,
        avatar: AvatarLink? = nil, created: WallTime
    ) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
        self.displayName = displayName
        self.avatar = avatar
        self.created = created
    }

    /// What people read: the chosen name, or else the one they sign in with.
    package var shownName: DisplayName? { self.displayName ?? self.name.flatMap { DisplayName($0.text) } }
}

/// What stays of an account that was deleted, so that neither its id nor its name is ever another person's.
package struct Tombstone: Hashable, Sendable {
    package let time: WallTime
    /// A keyed hash of the name they signed in with.
    package let retiredName: [UInt8]?
    /// Something of theirs is still to be removed.
    package var isErasing = true

    package init(at time: WallTime, retiredName: [UInt8]?) {
        self.time = time
        self.retiredName = retiredName
    }
}

/// A token that stays the same over many logins: what is kept of it.
package struct LongLivedToken: Hashable, Sendable {
    /// Counts how often the token was replaced.
    package var version: Int64
    /// A hash, since the token itself is never kept.
    package var hash: [UInt8]
    package var expiry: WallTime

    package init(version: Int64, hash: [UInt8], expiry: WallTime) {
        self.version = version
        self.hash = hash
        self.expiry = expiry
    }
}

/// What holds a user's tokens back.
package struct Restriction: Hashable, Sendable {
    package let user: UserID
    /// Tokens issued up to then are refused.
    package var notBefore: WallTime?
    /// No client gets in as this user until then.
    package var bannedUntil: WallTime?

    package init(user: UserID, notBefore: WallTime? = nil, bannedUntil: WallTime? = nil) {
        self.user = user
        self.notBefore = notBefore
        self.bannedUntil = bannedUntil
    }

    /// Whether it holds back anybody from now on. Tokens older than `tokensSince` have ended anyway.
    package func matters(at now: WallTime, tokensSince: WallTime) -> Bool {
        self.bannedUntil.map { $0 > now } == true || self.notBefore.map { $0 >= tokensSince } == true
    }
}

/// A single token that was called back, remembered until it would have ended anyway.
package struct RevokedToken: Hashable, Sendable {
    package let id: String
    package let expiry: WallTime

    package init(id: String, expiry: WallTime) {
        self.id = id
        self.expiry = expiry
    }
}
