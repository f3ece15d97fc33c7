package import Vocabulary

/// What members ask of rooms.
package enum RoomOperation: String, OperationFamily {
    case join = "room.join"
    case leave = "room.leave"
    case members = "room.members"

    package var specification: Specification<RoomRequest> {
        switch self {
        case .join: .join
        case .leave: .leave
        case .members: .members
        }
    }
}

package enum RoomRequest: Hashable, Sendable {
    case join(RoomName, replacing: SessionID?)
    case leave(RoomName)
    case members(RoomName)
}

extension Specification<RoomRequest> {
    fileprivate static let join = Specification(
        RoomRequest.join, .room, .optional(.replaced), answer: .room,
        refusals: [.forbidden, .roomFull, .tooManyRooms, .notMember])
    fileprivate static let leave = Specification(RoomRequest.leave, .room)
    fileprivate static let members = Specification(RoomRequest.members, .room, answer: .room, refusals: [.notMember])
}
