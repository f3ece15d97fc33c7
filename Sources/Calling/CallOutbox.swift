package import Vocabulary

/// What calls want done, in order. The shell empties it after every event.
package struct CallOutbox: Sendable {
    package enum Action: Hashable, Sendable {
        /// Let this line ring. The invitation names the caller's line of this moment.
        case ring(SessionID, CallInvitation)
        /// Tell the caller that at least one device rings.
        case ringing(SessionID)
        /// Wake the callee's devices that sleep, and report whether there are any (`CallTable.pushed`). It comes once per call.
        case push(CallInvitation)
        /// Tell the caller that devices are being woken.
        case pushed(SessionID)
        /// What devices that sleep were told of the call is no longer true. It comes once per push.
        case withdrawPush
        /// Tell this line that the call is answered and who it talks with.
        case connected(SessionID, CallConnection)
        /// Tell this line that the other side's link broke; the call waits for it.
        case peerAway(SessionID)
        /// Tell this line that the other side is back, on this session, and whether media goes on as it was.
        case peerBack(SessionID, as: SessionID, keepsMedia: Bool)
        /// Tell this line since when the other side keeps what is said; nil when it no longer does.
        case recording(SessionID, since: WallTime?)
        /// Tell this line, for the first and only time, that the call is over for it.
        ///
        /// A line whose link is down is told as well: the keeper of its place can keep this for it.
        case ended(SessionID, CallEnding)
        /// Keep this. It comes once per call, behind all its endings.
        case record(CallRecord)
    }

    package struct Order: Hashable, Sendable {
        package let call: CallID
        package let action: Action
    }

    package private(set) var orders: [Order] = []

    package init() {}

    package var isEmpty: Bool { self.orders.isEmpty }

    /// Keeps its memory, for one outbox serves all calls of a loop.
    package mutating func removeAll() {
        self.orders.removeAll(keepingCapacity: true)
    }

    mutating func append(_ action: Action, of call: CallID) {
        self.orders.append(Order(call: call, action: action))
    }
}

/// What a line needs to know to talk.
package struct CallConnection: Hashable, Sendable {
    /// Who gives way when both sides describe the session at once (the polite one of "perfect negotiation" is the callee).
    package enum Role: String, Hashable, Sendable, CaseIterable {
        case caller
        case callee

        package var other: Role {
            switch self {
            case .caller: .callee
            case .callee: .caller
            }
        }
    }

    package let peer: Line
    package let kind: CallKind
    package let role: Role

    package init(peer: Line, kind: CallKind, role: Role) {
        self.peer = peer
        self.kind = kind
        self.role = role
    }
}

/// Where a call stands, for one who takes part in it.
package struct CallView: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        case ringing
        case talking(CallConnection, isPeerAway: Bool, peerRecordingSince: WallTime?)
        /// This user talks, but on another line.
        case talkingElsewhere
        case ended(CallOutcome)
    }

    package let id: CallID
    package let caller: UserID
    package let callee: UserID
    package let kind: CallKind
    package let phase: Phase
    /// Who took their seat goes on with the media they had.
    package internal(set) var keepsMedia = false
}

/// Where something for the other side of a call goes.
package enum CallRoute: Hashable, Sendable {
    case deliver(to: SessionID)
    /// The other side's link is down; the keeper of its place can keep this for it.
    case keep(for: SessionID)
}
