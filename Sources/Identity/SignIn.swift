package import Vocabulary

/// What a client holds after signing in.
package struct SignIn: Hashable, Sendable {
    package let identity: Identity
    package let name: UserName?
    package let access: Token
    package let refresh: Token
    /// The one that stays the same over many logins, for clients that know nothing else; members only.
    package let longLived: Token?

    package struct Token: Hashable, Sendable {
        package let text: String
        package let expiry: WallTime

        package init(text: String, expiry: WallTime) {
            self.text = text
            self.expiry = expiry
        }
    }
}
