internal import JSON
package import Vocabulary

/// What people are called and what they look like.
extension ParleyClient {
    package func ownProfile() async throws(ClientError) -> ProfileView {
        try Self.profile(try await self.request("profile.own", RawJSON { _ in }))
    }

    /// Those of `users` of whom something is known.
    package func profiles(of users: [UserID]) async throws(ClientError) -> [ProfileView] {
        let argument = RawJSON { json in
            json.key("users")
            json.array { json in for user in users { json.string(user.text) } }
        }
        let answer = try await self.request("profile.list", argument)
        guard let list = answer.list("users") else { throw .unreadableAnswer }
        return list.compactMap { ProfileView($0) }
    }

    /// What is nil stays; an empty name takes away what there was.
    @discardableResult
    package func changeProfile(
        name: String? = nil, avatar: FileID? = nil
    ) async throws(ClientError) -> ProfileView {
        let argument = RawJSON { $0.members([("name", name), ("avatar", avatar?.text)]) }
        return try Self.profile(try await self.request("profile.change", argument))
    }

    package func removeAvatar() async throws(ClientError) {
        _ = try await self.request("profile.change", RawJSON { $0.members([("avatar", "")]) })
    }

    private static func profile(_ json: RawJSON) throws(ClientError) -> ProfileView {
        guard let profile = ProfileView(json) else { throw .unreadableAnswer }
        return profile
    }
}
