package import Secure
package import Vocabulary

/// Why a client was not let in, or not given what it asked for.
package enum IdentityRefusal: Error, Hashable, Sendable {
    case nameEmpty
    case nameInvalid(UserName.Mistake)
    case nameTaken
    /// It has a word that is not allowed here.
    case nameRefused
    case passwordEmpty
    case passwordTooShort
    case passwordTooLong
    /// It is among those that are guessed first.
    case passwordFrequent
    /// A control character, which cannot be typed again.
    case passwordInvalid
    /// Name or password; which of them is not said.
    case wrongCredentials
    case tooManyAttempts(retryAfter: Duration)
    case banned(until: WallTime)
    /// The account is gone, and its id is nobody's.
    case deleted
    /// What is asked for needs a token that was issued just now.
    case stale
    case token(TokenRefusal)
    /// Called back before its time.
    case revoked
    /// No such refresh token, or one of a family that has ended.
    case refreshUnknown
    case refreshExpired
    /// It was used before, so it was stolen; the family has ended now.
    case refreshReused
    case wrongApplication
    /// The OpenID provider did not vouch for the user, or what it said is not believed.
    case unproven
    /// The application may not speak of this user.
    case foreignUser
    /// The operator has closed this way to sign in.
    case closed
    /// The store failed or too much is going on; not the asker's fault.
    case unavailable
}
