package import Vocabulary

/// What others may know of a user.
package struct Profile: Hashable, Sendable {
    package let user: UserID
    /// The one they sign in with; nil for those who have none.
    package let signInName: UserName?
    /// What they want to be called; nil when they did not say.
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
    /// Since when it is so, as far as it was said here.
    package let changed: WallTime
    /// The account is gone, and so is everything that was said here.
    package let isDeleted: Bool

    package init(
        _ user: UserID, signInName: UserName? = nil, displayName: DisplayName? = nil, avatar: AvatarLink? = nil,
        changed: WallTime = WallTime(milliseconds: 0), isDeleted: Bool = false
    ) {
        self.user = user
        self.signInName = signInName
        self.displayName = displayName
        self.avatar = avatar
        self.changed = changed
        self.isDeleted = isDeleted
    }

    /// What people read: the chosen name, or else the one they sign in with.
    package var shownName: DisplayName? {
        if self.isDeleted { return .deletedUser }
        return self.displayName ?? self.signInName.flatMap { DisplayName($0.text) }
    }
}
