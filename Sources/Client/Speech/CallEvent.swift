package import Calling
package import Vocabulary

/// Something happened to a call of ours.
package struct CallEvent: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        /// Ring.
        case incoming(CallKind, from: Participant)
        /// At least one device over there rings.
        /// With `byPush` devices that sleep are being woken, and none has come up yet.
        case ringing(byPush: Bool)
        /// Answered: now signals flow, and the caller offers.
        case connected(CallKind, CallConnection.Role, peer: Participant)
        case peerAway
        /// The other side is back; with `keepsMedia` the connection to it goes on as it is.
        case peerBack(SessionID, keepsMedia: Bool)
        /// The other side keeps what is said since then; nil no longer.
        case recording(since: WallTime?)
        case ended(End)
    }

    /// How it ended, for us.
    package struct End: Hashable, Sendable {
        /// One of the outcomes of the protocol, such as `completed`, `declined` and `answeredElsewhere`.
        package let outcome: String
        package let by: UserID?
        /// When both rang each other: the call that goes on.
        package let into: CallID?
    }

    package let call: CallID
    package let change: Change

    init?(_ json: RawJSON, _ change: Change) {
        guard let call = json.name("call", { CallID($0) }) else { return nil }
        self.call = call
        self.change = change
    }
}

extension CallEvent.Change {
    init?(incoming json: RawJSON) {
        guard let kind = json.kind, let caller = Participant(json.member("from")) else { return nil }
        self = .incoming(kind, from: caller)
    }

    init?(connected json: RawJSON) {
        guard let kind = json.kind, let role = json.role, let peer = Participant(json.member("peer")) else {
            return nil
        }
        self = .connected(kind, role, peer: peer)
    }
}

extension CallEvent.End {
    init?(_ json: RawJSON) {
        guard let outcome = json.text("outcome") else { return nil }
        self.outcome = outcome
        self.by = json.name("by") { UserID($0) }
        self.into = json.name("into") { CallID($0) }
    }
}

/// A call as one finds it again, as after a start of the program.
package struct CallStatus: Hashable, Sendable {
    package let call: CallID
    package let caller: UserID
    package let callee: UserID
    package let kind: CallKind
    /// `ringing`, `talking`, `elsewhere`, or the outcome of a call that is over.
    package let phase: String
    package let role: CallConnection.Role?
    package let peer: Participant?
    /// The connection to the other side goes on as it is.
    package let keepsMedia: Bool

    init(_ json: RawJSON) throws(ClientError) {
        guard let call = json.name("call", { CallID($0) }), let caller = json.name("caller", { UserID($0) }),
            let callee = json.name("callee", { UserID($0) }), let kind = json.kind, let phase = json.text("phase")
        else { throw .unreadableAnswer }
        self.call = call
        self.caller = caller
        self.callee = callee
        self.kind = kind
        self.phase = phase
        self.role = json.role
        self.peer = Participant(json.member("peer"))
        self.keepsMedia = json.bool("keeps") == true
    }
}

extension RawJSON {
    fileprivate var kind: CallKind? { self.name("kind") { CallKind(rawValue: $0) } }
    fileprivate var role: CallConnection.Role? { self.name("role") { CallConnection.Role(rawValue: $0) } }
}
