/// Why a room does not do what a line asked for.
package enum RoomRefusal: Error, Hashable, Sendable {
    /// It has as many members as it may have.
    case full
    /// It has no member and takes none; a new room of this name can be made.
    case ended
    /// The line is not in the room.
    case notAMember
    /// The session belongs to another user.
    case notYours
    /// Who comes in shows the room's password.
    case passwordRequired
    case wrongPassword
    /// Who comes in was admitted before.
    case invitationRequired
    /// Anybody may come in, so nobody has to ask.
    case isOpen
    /// They asked a moment ago, or too many others did.
    case knockedBefore(retryAfter: Duration)
    /// As many users as may be are admitted.
    case tooManyAdmitted
    /// The host or an operator does not want this user here.
    case banned
    /// As many users as may be are banned.
    case tooManyBanned
    /// Only the host may, and not to themselves.
    case notHost
    /// The user has no seat here.
    case notThere
}
