package import Vocabulary

/// Something that may end connections which are open already.
package enum IdentityChange: Hashable, Sendable {
    case tokenRevoked(tokenID: String)
    /// Everything that follows from one sign-in.
    case familyEnded(RandomToken)
    /// Everything issued up to then.
    case userRevoked(UserID, upTo: WallTime)
    case banned(UserID, until: WallTime)
    case unbanned(UserID)
    case deleted(UserID)
}
