package import Vocabulary

/// What signing in gives: who we are, and the tokens that prove it.
package struct SignedIn: Hashable, Sendable {
    package let user: UserID
    package let name: String
    package let accessToken: String
    package let refreshToken: String
    /// When the access token ends.
    package let expires: WallTime

    /// Longer ones do not fit into a header of a request, nor many into the file in which they are kept.
    package static let maximumTokenBytes = 8 << 10

    init(_ json: RawJSON) throws(ClientError) {
        guard let user = json.name("user", { UserID($0) }), let access = Self.token("accessToken", in: json),
            let refresh = Self.token("refreshToken", in: json), let expires = json.integer("expires")
        else { throw .unreadableAnswer }
        self.user = user
        self.name = json.text("name") ?? user.text
        self.accessToken = access
        self.refreshToken = refresh
        self.expires = WallTime(milliseconds: Int64(expires))
    }

    /// Of letters that are seen: a token stands in the head of a request.
    private static func token(_ name: String, in json: RawJSON) -> String? {
        guard let token = json.text(name), (1...self.maximumTokenBytes).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return token
    }
}
