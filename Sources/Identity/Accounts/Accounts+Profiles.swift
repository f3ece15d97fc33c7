package import Keeping
package import Vocabulary

extension Accounts {
    /// Nil for somebody of whom nothing is known.
    package func profile(of user: UserID) async throws(IdentityRefusal) -> Profile? {
        try await self.ask(FindProfiles(of: [user])).first
    }

    /// Everybody with a name, page by page: pass the last name of the page before.
    package func members(after name: UserName?, limit: Int) async throws(IdentityRefusal) -> [Profile] {
        try await self.ask(ListUsers(after: name?.text ?? "", limit: limit)).map(Profile.init)
    }

    /// So many of those with a name, in its order.
    package func members(atMost limit: Int) async throws(IdentityRefusal) -> [Profile] {
        var members: [Profile] = []
        while members.count < limit {
            let wanted = min(limit - members.count, Self.pageOfMembers)
            let page = try await self.members(after: members.last?.signInName, limit: wanted)
            members += page
            if page.count < wanted { break }
        }
        return members
    }

    /// What the store is asked for at once, so that nobody else waits long.
    private static let pageOfMembers = 1000
}

extension Profile {
    fileprivate init(_ user: StoredUser) {
        self.init(user.id, signInName: user.name, displayName: user.displayName, avatar: user.avatar)
    }
}
