package import Secure

/// How long things last and what is asked of them.
package struct AccountSettings: Sendable {
    package var accessLife = Duration.seconds(3600)
    /// Counted anew at every refresh.
    package var refreshLife = Duration.seconds(60 * 86_400)
    package var legacyLife = Duration.seconds(60 * 86_400)
    /// The longest an application may vouch for a user with one token.
    package var applicationLife = Duration.seconds(86_400)
    /// The same of a token that a door hands out to a program on another server, whose clients know no other.
    package var vouchedLife = Duration.seconds(3650 * 86_400)
    /// Whether a door hands out such tokens. Those of one that was closed since do not count.
    package var acceptsVouched = false
    /// How old a token may be that has to be fresh.
    package var freshLife = Duration.seconds(300)
    /// Ways to sign in that are open.
    package var signIn = SignInMethods.all
    package var minimumPasswordLength = 8
    package var maximumPasswordBytes = 1024
    package var passwordCost = PasswordCost.usual
    package var attempts = AttemptLimits()
    /// How many passwords may wait to be hashed, and how many of one client prefix: each takes a quarter of a second of a core.
    package var waitingPasswords = 64
    package var waitingPasswordsOfPrefix = 8
    /// `iss` and `aud` of the tokens.
    package var serviceName = "parley"

    package init() {}
}
