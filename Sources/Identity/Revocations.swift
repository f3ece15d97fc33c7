package import Vocabulary

/// What was called back and who is kept out, in memory, so that every token can be asked about on a loop.
///
/// It only holds what still matters: a token until its own end, a user's date until the last token before it has
/// ended, a ban until it is over.
package struct Revocations: Sendable {
    private var tokens: [String: WallTime] = [:]
    private var users: [UserID: Cut] = [:]
    private var bans: [UserID: WallTime] = [:]
    /// Whose account was deleted. An application could vouch for such an id at any time, so they stay here for good.
    private var deleted: Set<UserID> = []

    /// Everything issued up to `time` is called back; `serial` says in which order that was said.
    private struct Cut {
        var time: WallTime
        var serial: UInt64
    }

    /// A user who may not come in, and until when.
    package struct Ban: Hashable, Sendable {
        package let user: UserID
        package let end: WallTime
    }

    /// Grows with every user whose tokens are called back.
    package private(set) var serial: UInt64 = 0

    package init() {}

    package mutating func revokedToken(_ id: String, until expiry: WallTime) { self.tokens[id] = expiry }

    /// By which a family that has ended is kept beside tokens. No token has such a name: ours are random, and those of
    /// applications are believed only as theirs.
    package static func name(of family: RandomToken) -> String { "family:\(family.text)" }

    /// By which a token that opens one connection is kept once it has: what it opened goes on.
    package static func name(ofUsed token: String) -> String { "used:\(token)" }

    package mutating func revokedUser(_ user: UserID, upTo time: WallTime) {
        self.serial += 1
        self.users[user] = Cut(time: time, serial: self.serial)
    }

    package mutating func banned(_ user: UserID, until time: WallTime) { self.bans[user] = time }
    package mutating func unbanned(_ user: UserID) { self.bans[user] = nil }

    package mutating func deleted(_ user: UserID) { self.deleted.insert(user) }

    package func isRevoked(_ token: String) -> Bool { self.tokens[token] != nil }

    package func notBefore(of user: UserID) -> WallTime? { self.users[user]?.time }

    package func ban(of user: UserID, at now: WallTime) -> WallTime? {
        guard let until = self.bans[user], now < until else { return nil }
        return until
    }

    /// Tokens count whole seconds; one of the very second of a revocation is refused as well.
    package func check(_ identity: Identity, at now: WallTime) throws(IdentityRefusal) {
        try self.checkMayEnter(identity.user, at: now)
        guard self.tokens[identity.tokenID] == nil else { throw .revoked }
        if let family = identity.family, self.tokens[Self.name(of: family)] != nil { throw .revoked }
        guard let cut = self.users[identity.user] else { return }
        guard identity.issuedAt.seconds > cut.time.seconds else { throw .revoked }
    }

    package func bans(at now: WallTime) -> [Ban] {
        self.bans.filter { now < $0.value }.map { Ban(user: $0.key, end: $0.value) }
            .sorted { $0.user.text < $1.user.text }
    }

    package func isDeleted(_ user: UserID) -> Bool { self.deleted.contains(user) }

    /// Neither deleted nor banned.
    package func checkMayEnter(_ user: UserID, at now: WallTime) throws(IdentityRefusal) {
        guard !self.deleted.contains(user) else { throw .deleted }
        if let until = self.ban(of: user, at: now) { throw .banned(until: until) }
    }

    /// For what was proven by the store: it must not have been called back since it was asked for.
    ///
    /// - Parameter serial: what `serial` was before the store was asked.
    package func checkStillGood(_ user: UserID, since serial: UInt64, at now: WallTime) throws(IdentityRefusal) {
        try self.checkMayEnter(user, at: now)
        if let cut = self.users[user], cut.serial > serial { throw .revoked }
    }

    /// When a new token for this user may say it was issued: after the last revocation, if that was just now.
    package func issueSecond(for user: UserID, at now: WallTime) -> Int64 {
        max(now.seconds, (self.users[user]?.time.seconds).map { $0 + 1 } ?? .min)
    }

    /// - Parameter tokensSince: every token issued before has ended.
    package mutating func forget(at now: WallTime, tokensSince: WallTime) {
        self.tokens = self.tokens.filter { now < $0.value }
        self.bans = self.bans.filter { now < $0.value }
        self.users = self.users.filter { tokensSince <= $0.value.time }
    }

    package var count: Int { self.tokens.count + self.users.count + self.bans.count }
}
