package import Vocabulary

/// A call that is over, as the history keeps it.
package struct StoredCall: Hashable, Sendable {
    package let id: CallID
    package let caller: UserID
    package let callee: UserID?
    package let room: RoomName?
    /// `audio`, `video`: the words of the calling protocol.
    package let kind: String
    package let started: WallTime
    package let answered: WallTime?
    package let ended: WallTime
    package let outcome: String

    package init(
        id: CallID, caller: UserID, callee: UserID?, room: RoomName? = nil, kind: String, started: WallTime,
        answered: WallTime?, ended: WallTime, outcome: String
    ) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.room = room
        self.kind = kind
        self.started = started
        self.answered = answered
        self.ended = ended
        self.outcome = outcome
    }
}
