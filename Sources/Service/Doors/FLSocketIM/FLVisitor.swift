internal import Identity
internal import Store
internal import Vocabulary

/// Somebody who came with FLSocketIM's token, under the user name their apps know people by.
struct FLVisitor: Sendable {
    let identity: Identity
    let name: DisplayName

    /// Nil for a token that is worth nothing.
    init?(_ token: String, _ accounts: Accounts) async {
        guard let identity = try? await accounts.identity(ofLegacyToken: token),
            let profile = try? await accounts.profile(of: identity.user),
            let name = DisplayName(profile.signInName?.text ?? identity.user.text)
        else { return nil }
        self.identity = identity
        self.name = name
    }
}
