package import Vocabulary

/// Somebody came or went.
package struct RoomEvent: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case joined(Participant)
        case away(SessionID)
        case back(SessionID)
        /// `left`, `lost`, `replaced` or `removed`.
        case left(SessionID, reason: String)
        /// We are no longer in the room, by another's doing.
        case dismissed(reason: String)
    }

    package let room: RoomName
    package let change: Change
    /// Gap-free, and the same for everybody in the room.
    package let number: UInt64?

    init?(_ name: String, _ json: RawJSON) {
        guard let room = json.name("room", { RoomName($0) }), let change = Change(name, json) else { return nil }
        self.room = room
        self.change = change
        self.number = json.number
    }
}

extension RoomEvent.Change {
    fileprivate init?(_ name: String, _ json: RawJSON) {
        let member = json.name("member") { SessionID($0) }
        switch (name, member) {
        case ("room.joined", _):
            guard let participant = Participant(json) else { return nil }
            self = .joined(participant)
        case ("room.away", let member?): self = .away(member)
        case ("room.back", let member?): self = .back(member)
        case ("room.left", let member?): self = .left(member, reason: json.text("reason") ?? "left")
        case ("room.dismissed", _): self = .dismissed(reason: json.text("reason") ?? "removed")
        default: return nil
        }
    }
}

/// A room as one finds it.
package struct RoomView: Hashable, Sendable {
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
