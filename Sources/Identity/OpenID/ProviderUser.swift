internal import Bytes
internal import Hashing
package import Secure
package import Vocabulary

/// Somebody for whom a provider vouches.
package struct ProviderUser: Hashable, Sendable {
    /// Follows from issuer and subject, which together are one person for ever (OpenID Connect Core 1.0 §5.7). Names and mail
    /// addresses move from one person to another, so nothing is found by them.
    package let id: UserID
    /// What a new user is called.
    package var displayName: DisplayName?

    /// Ids that begin so are for users of a provider alone.
    package static let prefix = "oidc:"

    package init?(_ token: IDTokenVerifier.Verified, _ settings: OpenIDSettings) {
        // An issuer is a URL, so it holds no line feed.
        let hash = Digest.sha256.hash("\(settings.issuer)\n\(token.subject)").prefix(16)
        guard let id = UserID(Self.prefix + Base64.encode(hash, as: .url)) else { return nil }
        self.id = id
        self.displayName =
            [settings.nameClaim, "name", "preferred_username"].lazy
            .compactMap { token.texts[$0] }.compactMap { DisplayName(Self.short($0)) }.first
    }

    private static func short(_ name: String) -> String { String(name.prefix(DisplayName.maximumLength)) }
}
