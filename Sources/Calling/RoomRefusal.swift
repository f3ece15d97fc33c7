/// Why a room does not do what a line asked for.
package enum RoomRefusal: Error, Hashable, Sendable {
    /// It has as many members as it may have.
    case full
    /// Nobody is left in it and nobody can come in; a new room of this name can be made.
    case ended
    /// The line is not in the room.
    case notAMember
    /// The session belongs to another user.
    case notYours
}
