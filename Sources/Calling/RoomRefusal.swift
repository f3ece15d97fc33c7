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
}
