internal import Store
package import Vocabulary

/// What others may know of somebody.
package struct Profile: Hashable, Sendable {
    package let user: UserID
    package let name: UserName?
    package let displayName: DisplayName?
    package let avatar: AvatarLink?
}

extension Accounts {
    /// Those of `users` who are known, at most 500 at a time.
    package func profiles(of users: [UserID]) async throws(IdentityRefusal) -> [Profile] {
        try await self.ask { self.store.users(users, $0) }.map(Profile.init)
    }

    /// Everybody with a name, page by page: pass the last name of the page before.
    package func members(after name: UserName?, limit: Int) async throws(IdentityRefusal) -> [Profile] {
        try await self.ask { self.store.users(after: name?.text ?? "", limit: limit, $0) }.map(Profile.init)
    }

    package func setProfile(
        of user: UserID, displayName: DisplayName?, avatar: AvatarLink?
    ) async throws(IdentityRefusal) -> Bool {
        try await self.ask { self.store.setProfile(displayName, avatar, of: user, $0) }
    }
}

extension Profile {
    fileprivate init(_ user: StoredUser) {
        self.init(user: user.id, name: user.name, displayName: user.shownName, avatar: user.avatar)
    }
}
