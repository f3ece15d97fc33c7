package import Vocabulary

/// A member came or went.
package struct RoomEvent: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case joined(Participant)
        case away(SessionID)
        case back(SessionID)
        /// `left`, `lost`, `replaced` or `removed`.
        case left(SessionID, reason: String)
        /// We are no longer in the room, by another's doing.
        case dismissed(reason: String)
        /// The member keeps what is said since then; nil no longer.
        case recording(SessionID, since: WallTime?)
        /// Who may send others away from now on.
        case host(UserID)
        /// Somebody asks to be let in.
        case knocked(UserID, name: String)
        /// We may come in.
        case admitted
    }

    package let room: RoomName
    package let change: Change
    /// Gap-free, and the same for all members of the room.
    package let number: UInt64?

    init?(_ json: RawJSON, _ change: Change) {
        guard let room = json.name("room", { RoomName($0) }) else { return nil }
        self.room = room
        self.change = change
        self.number = json.number
    }
}

/// A room as one finds it.
package struct JoinedRoom: Hashable, Sendable {
    package let room: RoomName
    /// Ourselves.
    package let member: SessionID
    package let number: UInt64
    package let count: Int
    /// The others. The newcomer offers to each of them.
    package let members: [Participant]

    init(_ json: RawJSON) throws(ClientError) {
        guard let room = json.name("room", { RoomName($0) }), let member = json.name("member", { SessionID($0) }),
            let number = json.number, let count = json.integer("count"), let members = json.list("members")
        else { throw .unreadableAnswer }
        self.room = room
        self.member = member
        self.number = number
        self.count = count
        self.members = members.compactMap { Participant($0) }
        guard self.members.count == members.count else { throw .unreadableAnswer }
    }
}
