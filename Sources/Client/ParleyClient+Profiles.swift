internal import Operations
package import Vocabulary

/// What people are called and what they look like.
extension ParleyClient {
    package func ownProfile() async throws(ClientError) -> ProfileView {
        try Self.profile(try await self.request(.profile(.own)))
    }

    /// Those of `users` of whom something is known.
    package func profiles(of users: [UserID]) async throws(ClientError) -> [ProfileView] {
        let answer = try await self.request(.profile(.list), Field.users(users))
        guard let list = answer.list("users") else { throw .unreadableAnswer }
        return list.compactMap { ProfileView($0) }
    }

    /// What is nil stays.
    @discardableResult
    package func changeProfile(
        name: DisplayName? = nil, avatar: FileID? = nil
    ) async throws(ClientError) -> ProfileView {
        let answer = try await self.request(
            .profile(.change), Field.name.optional(name.map { .set($0) }),
            Field.avatar.optional(avatar.map { .set($0) }))
        return try Self.profile(answer)
    }

    package func removeAvatar() async throws(ClientError) {
        try await self.request(.profile(.change), Field.avatar(.removed))
    }

    private static func profile(_ json: RawJSON) throws(ClientError) -> ProfileView {
        guard let profile = ProfileView(json) else { throw .unreadableAnswer }
        return profile
    }
}
