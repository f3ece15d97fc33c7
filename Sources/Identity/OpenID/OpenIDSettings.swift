/// Where people sign in when they do so elsewhere: a provider of OpenID Connect, as its operator and ours agreed.
package struct OpenIDSettings: Hashable, Sendable {
    /// Exactly as the provider writes it in its tokens.
    package var issuer: String
    package var clientID: String
    /// Nil for a client that is registered without one.
    package var clientSecret: String?
    package var scopes = ["openid", "profile"]
    /// What the button says; nil for the page's own words.
    package var label: String?
    /// The claim that becomes the name of a new user.
    package var nameClaim = "name"

    package init(issuer: String, clientID: String) {
        self.issuer = issuer
        self.clientID = clientID
    }

    /// Where the provider describes itself (OpenID Connect Discovery 1.0 §4).
    package var discoveryURL: String {
        let base = self.issuer.hasSuffix("/") ? String(self.issuer.dropLast()) : self.issuer
        return "\(base)/.well-known/openid-configuration"
    }
}
