package import Vocabulary

/// All refresh tokens that follow from one sign-in: each is good once and is followed by the next.
///
///     signed in ──▶ current ──presented──▶ previous ──successor presented──▶ forgotten
///
/// The previous token is good again for as long as its successor was not used, since the answer that carried the
/// successor may have been lost; then the lost one is replaced. So of two who hold the same token, the second to
/// come is always found out, and the family ends for both (RFC 9700 §4.14.2).
package struct RefreshFamily: Hashable, Sendable {
    package let id: RandomToken
    package let user: UserID
    /// Hashes, since the tokens themselves are never kept.
    package var current: [UInt8]
    package var previous: [UInt8]?
    package var expiry: WallTime

    package init(id: RandomToken, user: UserID, current: [UInt8], previous: [UInt8]? = nil, expiry: WallTime) {
        self.id = id
        self.user = user
        self.current = current
        self.previous = previous
        self.expiry = expiry
    }

    /// A family as its user is shown it: one device, or one browser, that is signed in.
    package struct Use: Hashable, Sendable {
        package let family: RandomToken
        package let lastUsed: WallTime
        package let expiry: WallTime

        package init(family: RandomToken, lastUsed: WallTime, expiry: WallTime) {
            self.family = family
            self.lastUsed = lastUsed
            self.expiry = expiry
        }
    }

    package enum Verdict: Hashable, Sendable {
        case follow(RefreshFamily)
        case expired
        /// A client shows a token that was used before.
        case reused
    }

    /// What becomes of the family when a client presents the token with the hash `presented`.
    package func presented(
        _ presented: [UInt8], next: [UInt8], expiry: WallTime, at now: WallTime
    ) -> Verdict {
        guard now < self.expiry else { return .expired }
        guard presented == self.current || presented == self.previous else { return .reused }
        return .follow(RefreshFamily(id: self.id, user: self.user, current: next, previous: presented, expiry: expiry))
    }

    /// Which of a user's families end when a new one begins: those that have expired, and those used longest ago.
    ///
    /// - Parameter families: the last used first.
    package static func ending(_ families: [RefreshFamily], room: Int, at now: WallTime) -> [RefreshFamily] {
        families.filter { $0.expiry <= now } + families.filter { $0.expiry > now }.dropFirst(room)
    }
}
