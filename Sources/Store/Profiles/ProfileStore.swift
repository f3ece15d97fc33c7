package import Vocabulary

/// Where it is kept what people are called and what they look like.
package protocol ProfileStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Of those of `users` of whom something is known, in their order; at most 500 are looked up.
    func profiles(of users: [UserID], _ answer: @escaping Answer<[Profile]>)
    func change(_ change: ProfileChange, _ answer: @escaping Answer<Result<ChangedProfile, ProfileRefusal>>)
    /// Somebody else vouches for a user, who may be unknown so far. What the user has said of themselves later stays.
    func introduce(_ introduction: Introduction, _ answer: @escaping Answer<Void>)
}

/// What others may know of somebody.
package struct Profile: Hashable, Sendable {
    package let user: UserID
    /// The one they sign in with; nil for those who have none.
    package let signInName: UserName?
    /// What they want to be called; nil when they did not say.
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
    /// Since when it is so, as far as it was said here.
    package let changed: WallTime

    package init(
        _ user: UserID, signInName: UserName? = nil, displayName: DisplayName? = nil, avatar: AvatarLink? = nil,
        changed: WallTime = WallTime(milliseconds: 0)
    ) {
        self.user = user
        self.signInName = signInName
        self.displayName = displayName
        self.avatar = avatar
        self.changed = changed
    }

    /// What people read: the chosen name, or else the one they sign in with.
    package var shownName: DisplayName? { self.displayName ?? self.signInName.flatMap { DisplayName($0.text) } }
}

/// What somebody wants to be different about themselves.
package struct ProfileChange: Hashable, Sendable {
    package enum Wish<Value: Hashable & Sendable>: Hashable, Sendable {
        case keep
        case remove
        case set(Value)
    }

    /// One of the user's own files, and where it is found as a picture of somebody.
    package struct Picture: Hashable, Sendable {
        package let file: FileID
        package let link: AvatarLink

        package init(_ file: FileID, at link: AvatarLink) {
            self.file = file
            self.link = link
        }
    }

    package let user: UserID
    package var name = Wish<DisplayName>.keep
    package var picture = Wish<Picture>.keep
    package let now: WallTime

    package init(of user: UserID, at now: WallTime) {
        self.user = user
        self.now = now
    }
}

package enum ProfileRefusal: Error, Hashable, Sendable {
    /// The user has no such file.
    case noFile
    /// It is no picture, or too large a one.
    case noPicture
}

package struct ChangedProfile: Hashable, Sendable {
    package let profile: Profile
    /// False when it was so before.
    package let isNews: Bool
    /// Where others see the user; none so large that receipts are not told there either.
    package let conversations: [ConversationID]
}

/// What a program that vouches for a user says of them.
package struct Introduction: Hashable, Sendable {
    package let user: UserID
    /// Nil is not said.
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
    package let now: WallTime

    package init(_ user: UserID, displayName: DisplayName?, avatar: AvatarLink?, at now: WallTime) {
        self.user = user
        self.displayName = displayName
        self.avatar = avatar
        self.now = now
    }
}
