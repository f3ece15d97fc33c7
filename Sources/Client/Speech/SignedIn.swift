package import Vocabulary

/// What signing in gives: who we are, and the tokens that prove it.
package struct SignedIn: Hashable, Sendable {
    package let user: UserID
    package let name: String
    package let accessToken: String
    package let refreshToken: String
    /// When the access token ends.
    package let expires: WallTime

    init(_ json: RawJSON) throws(ClientError) {
        guard let user = json.name("user", { UserID($0) }), let access = json.text("accessToken"),
            let refresh = json.text("refreshToken"), let expires = json.integer("expires")
        else { throw .unreadableAnswer }
        self.user = user
        self.name = json.text("name") ?? user.text
        self.accessToken = access
        self.refreshToken = refresh
        self.expires = WallTime(milliseconds: Int64(expires))
    }
}
