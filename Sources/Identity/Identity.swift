package import Vocabulary

/// Who a client has proven to be, and for how long.
package struct Identity: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Came without a name; the id is all there is.
        case anonymous
        /// Registered with a name and a password.
        case member
        /// Vouched for by an application that holds a key of ours.
        case application
    }

    package let user: UserID
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
    package let kind: Kind
    /// The name of the token, by which it is called back.
    package let tokenID: String
    /// The sign-in it follows from, which ends as a whole; nil for tokens of applications and old apps.
    package let family: RandomToken?
    package let issuedAt: WallTime
    /// From then on the token counts no more, and what lives by it ends.
    package let expiry: WallTime
    /// The token opens one connection and nothing else.
    package var isForOneUse = false

    package init(
        user: UserID, displayName: DisplayName?, avatar: AvatarLink?, kind: Kind, tokenID: String,
        family: RandomToken? = nil, issuedAt: WallTime, expiry: WallTime
    ) {
        self.user = user
        self.displayName = displayName
        self.avatar = avatar
        self.kind = kind
        self.tokenID = tokenID
        self.family = family
        self.issuedAt = issuedAt
        self.expiry = expiry
    }
}
