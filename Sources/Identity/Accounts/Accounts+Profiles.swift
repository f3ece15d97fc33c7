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

    /// So many of those with a name, in its order.
    package func members(atMost limit: Int) async throws(IdentityRefusal) -> [Profile] {
        var members: [Profile] = []
        while members.count < limit {
            let wanted = min(limit - members.count, Self.pageOfMembers)
            let page = try await self.members(after: members.last?.name, limit: wanted)
            members += page
            if page.count < wanted { break }
        }
        return members
    }

    /// What the store is asked for at once, so that nobody else waits long.
    private static let pageOfMembers = 1000

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
