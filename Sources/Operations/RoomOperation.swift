package import Vocabulary

/// What members ask of rooms.
package enum RoomOperation: String, OperationFamily {
    case join = "room.join"
    case leave = "room.leave"
    case members = "room.members"
    case knock = "room.knock"
    case admit = "room.admit"
    case remove = "room.remove"
    case record = "room.record"

    package var specification: Specification<RoomRequest> {
        switch self {
        case .join: .join
        case .leave: .leave
        case .members: .members
        case .knock: .knock
        case .admit: .admit
        case .remove: .remove
        case .record: .record
        }
    }
}

/// What is shown to come into a room, and what who opens it asks of others.
package struct RoomKey: Hashable, Sendable {
    package let password: String?
    package let isByInvitation: Bool

    package init(password: String? = nil, isByInvitation: Bool = false) {
        self.password = password
        self.isByInvitation = isByInvitation
    }
}

package enum RoomRequest: Hashable, Sendable {
    case join(RoomName, replacing: SessionID?, RoomKey)
    case leave(RoomName)
    case members(RoomName)
    case knock(RoomName)
    case admit(RoomName, UserID)
    case remove(RoomName, UserID, isBanned: Bool)
    case record(RoomName, isOn: Bool)
}

extension Specification<RoomRequest> {
    fileprivate static let join = Specification(
        RoomRequest.join, .room, .optional(.replaced), .roomKey, answer: .room,
        refusals: [
            .forbidden, .roomFull, .tooManyRooms, .notMember, .passwordRequired, .wrongPassword, .invitationRequired,
            .banned,
        ])
    fileprivate static let leave = Specification(RoomRequest.leave, .room)
    fileprivate static let members = Specification(RoomRequest.members, .room, answer: .room, refusals: [.notMember])
    fileprivate static let knock = Specification(RoomRequest.knock, .room, refusals: [.notFound, .conflict, .banned])
    fileprivate static let admit = Specification(
        RoomRequest.admit, .room, .user, refusals: [.notMember, .conflict, .forbidden])
    fileprivate static let remove = Specification(
        RoomRequest.remove, .room, .user, .isBanned, refusals: [.notMember, .notFound, .conflict, .forbidden])
    fileprivate static let record = Specification(RoomRequest.record, .room, .isOn, refusals: [.notMember])
}
