package import Vocabulary

/// One line in a room. Who joins on two devices is two members.
package struct RoomMember: Hashable, Sendable {
    package let line: Line
    /// Until when the seat is kept, while the line is down.
    package internal(set) var keptUntil: Instant?

    /// Since when they keep what is said.
    package internal(set) var recordingSince: WallTime?

    package var session: SessionID { self.line.session }
    package var user: UserID { self.line.user }
    package var isAway: Bool { self.keptUntil != nil }
}

/// Why a member is no longer in a room.
package enum RoomDeparture: String, Hashable, Sendable, CaseIterable {
    case left
    /// The line broke and did not come back in time.
    case lost
    /// The same device came in again on another line.
    case replaced
    /// A moderator removed them.
    case removed
}
