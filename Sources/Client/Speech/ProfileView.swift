package import Vocabulary

/// What others may know of a user.
package struct ProfileView: Hashable, Sendable {
    package let user: UserID
    package let name: String?
    /// An address, or a path on the server.
    package let avatar: String?

    init?(_ json: RawJSON) {
        guard let user = json.name("user", { UserID($0) }) else { return nil }
        self.user = user
        self.name = json.text("name")
        self.avatar = json.text("avatar")
    }
}
