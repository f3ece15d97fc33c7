package import Calling
package import Operations
package import Keeping
package import Vocabulary

/// Something that clients are told.
package enum Notice {
    case cameOnline(UserID, ProfileSummary)
    case wentOffline(UserID, DisplayName, lastSeen: WallTime)

    /// A user is called something else, or looks different.
    case profile(Profile)

    case joined(RoomName, Person, number: UInt64)
    case away(RoomName, SessionID, number: UInt64)
    case back(RoomName, SessionID, number: UInt64)
    case gone(RoomName, SessionID, RoomDeparture, number: UInt64)
    /// The one who hears it is no longer in the room.
    case dismissed(RoomName, RoomDeparture)
    /// The member keeps what is said since then; nil no longer.
    case recording(RoomName, SessionID, since: WallTime?, number: UInt64)
    /// Who may send others away from now on.
    case host(RoomName, UserID)
    /// Somebody who is not in the room asks to be let in.
    case knocked(RoomName, Person)
    /// The one who hears it may come in.
    case admitted(RoomName)

    case signal(RelayedSignal)
    case call(CallID, CallNotice)

    case iceServers([UInt8])
    case sessionEnding(RequestError)
    /// This node goes; after that time the line is cut, and its client finds another one.
    case sessionMoving(after: Duration)
}

/// What a user is told of a call of theirs.
package enum CallNotice {
    case incoming(from: Person, CallKind)
    /// With `byPush` devices that sleep are being woken, and none has come up yet.
    case ringing(byPush: Bool)
    case connected(CallConnection, peer: Person)
    case peerAway
    case peerBack(SessionID, keepsMedia: Bool)
    /// The other side keeps what is said since then; nil no longer.
    case recording(since: WallTime?)
    case ended(CallEnding)
}

/// A member of a room or a side of a call, as others see them.
package struct Person: Hashable, Sendable {
    package let line: Line
    /// Nil after a restart of the server, until they are here again.
    package let name: DisplayName?
    package let avatar: AvatarLink?
    package var isAway = false
    /// Since when they keep what is said.
    package var recordingSince: WallTime?

    package var user: UserID { self.line.user }
    package var session: SessionID { self.line.session }
}

/// A signal on its way from one client to others.
package struct RelayedSignal: Sendable {
    package let scope: SignalScope
    package let from: SessionID
    package let content: SignalContent
    /// The very bytes it came in.
    package let json: [UInt8]
    /// What the placeholders in it mean.
    package let attachments: [[UInt8]]
    /// Its place among the events of the room, when it went to all.
    package var number: UInt64?

    package init(
        _ scope: SignalScope, from: SessionID, _ content: SignalContent, json: [UInt8], attachments: [[UInt8]] = [],
        number: UInt64? = nil
    ) {
        self.scope = scope
        self.from = from
        self.content = content
        self.json = json
        self.attachments = attachments
        self.number = number
    }
}
