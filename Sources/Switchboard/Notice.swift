package import Calling
package import Store
package import Vocabulary

/// Something that clients are told.
package enum Notice {
    case cameOnline(UserID, Face)
    case wentOffline(UserID, DisplayName, lastSeen: WallTime)

    /// Somebody is called something else, or looks different.
    case profile(Profile)

    case joined(RoomName, Person, number: UInt64)
    case away(RoomName, SessionID, number: UInt64)
    case back(RoomName, SessionID, number: UInt64)
    case gone(RoomName, SessionID, RoomDeparture, number: UInt64)
    /// The one who hears it is no longer in the room.
    case dismissed(RoomName, RoomDeparture)

    case signal(Signal)

    case incomingCall(CallID, from: Person, CallKind)
    case ringing(CallID)
    case connected(CallID, CallConnection, peer: Person)
    case peerAway(CallID)
    case peerBack(CallID, SessionID)
    case callEnded(CallID, CallEnding)

    case iceServers([UInt8])
    case sessionEnding(SwitchboardError)
}

/// A member of a room or a side of a call, as others see them.
package struct Person: Hashable, Sendable {
    package let line: Line
    package let name: DisplayName
    package let avatar: AvatarLink?
    package var isAway = false

    package var user: UserID { self.line.user }
    package var session: SessionID { self.line.session }
}

/// Something that one client wants another to have, and that the server does not read.
package struct Signal {
    package enum Scope: Hashable, Sendable {
        case room(RoomName)
        case call(CallID)
    }

    package enum Content: Hashable, Sendable {
        /// `RTCSessionDescriptionInit`
        case description
        /// `RTCIceCandidateInit`
        case candidate
        /// Whatever the two have agreed on.
        case data
    }

    package let scope: Scope
    package let from: SessionID
    package let content: Content
    /// The very bytes it came in.
    package let json: [UInt8]
    /// Its place among the events of the room, when it went to all.
    package var number: UInt64?

    package init(_ scope: Scope, from: SessionID, _ content: Content, json: [UInt8], number: UInt64? = nil) {
        self.scope = scope
        self.from = from
        self.content = content
        self.json = json
        self.number = number
    }
}
