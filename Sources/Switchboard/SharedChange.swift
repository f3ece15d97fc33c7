internal import BinaryCoding
package import Bytes
package import Calling
internal import Clustering
internal import Operations
package import Vocabulary

/// Something that changes what all nodes have in common: who is online, who is in which room, and who talks with whom. Each node
/// carries out all of them in the same order, so all are in the same state.
package enum SharedChange: LedgerValue {
    /// A line is there: somebody came in, or their line came back.
    case opened(Line, ProfileSummary)
    case lost(Line, fellSilent: Bool)
    case closed(Line, saidGoodbye: Bool)
    case join(RoomName, Line, RoomEntry)
    case leave(RoomName, Line)
    case knock(RoomName, Line)
    case admit(UserID, RoomName, Line)
    case protect(RoomName, RoomRule)
    /// Nobody in particular is an operator.
    case remove(UserID, RoomName, by: Line?, isBanned: Bool)
    /// A member keeps what is said, since then; nil no longer.
    case record(RoomName, Line, since: WallTime?)
    /// The same of one side of a call.
    case recordCall(CallID, Line, since: WallTime?)
    /// Something for all the others in a room.
    case relay(RelayedSignal, RoomName, Line)
    case invite(CallInvitation)
    case take(CallID, Line, replacing: SessionID?, keepsMedia: Bool)
    case act(CallID, Line, CallAct)
    case answers(Int, Line)
    case pushed(CallID, Bool)
    /// Two who talked when all nodes ended.
    case resumed(RunningCall)
    case sentAway(UserID)
    /// The line's client has come to another node.
    case moved(Line, to: RandomToken)
    /// A deadline has passed: of somebody's presence or of a call.
    case tick
    /// One of a room.
    case roomTick(RoomName)

    /// What a device says of a call.
    package enum CallAct: String, BinaryCoded, CaseIterable, Sendable {
        case acknowledge, accept, decline, hangUp, fail
    }

    /// How a line comes into a room.
    package struct RoomEntry: Sendable {
        let replaced: SessionID?
        /// What is shown for a password.
        let proof: [UInt8]?
        /// For the room, if it is opened so.
        let rule: RoomRule
    }
}

/// What became of a change, for who asked for it.
package enum SharedOutcome {
    case done
    case room(RoomView)
    case call(CallID)
    case seat(CallView)
    /// Its place among the events of a room.
    case number(UInt64)
    case found(Bool)
}

extension SharedChange: BinaryCoded {
    /// What it is called in an entry. Numbers are never used for something else.
    private enum Kind: UInt8 {
        case opened, lost, closed, join, leave, knock, admit, protect, relay, invite, take, act, answers, pushed,
            resumed
        case sentAway, tick, roomTick, moved, remove, record, recordCall
    }

    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.kind.rawValue)
        switch self {
        case .opened(let line, let face): bytes.put(line, face)
        case .lost(let line, let flag), .closed(let line, let flag): bytes.put(line, flag)
        case .join(let room, let line, let entry): bytes.put(room, line, entry)
        case .leave(let room, let line), .knock(let room, let line): bytes.put(room, line)
        case .admit(let user, let room, let line): bytes.put(user, room, line)
        case .protect(let room, let rule): bytes.put(room, rule)
        case .remove(let user, let room, let line, let isBanned): bytes.put(user, room, line, isBanned)
        case .record(let room, let line, let start): bytes.put(room, line, start)
        case .recordCall(let call, let line, let start): bytes.put(call, line, start)
        case .relay(let signal, let room, let line): bytes.put(signal, room, line)
        case .invite(let invitation): bytes.put(invitation)
        case .take(let call, let line, let old, let keepsMedia): bytes.put(call, line, old, keepsMedia)
        case .act(let call, let line, let act): bytes.put(call, line, act)
        case .answers(let count, let line): bytes.put(count, line)
        case .pushed(let call, let areThereDevices): bytes.put(call, areThereDevices)
        case .resumed(let call): bytes.put(call)
        case .sentAway(let user): bytes.put(user)
        case .moved(let line, let node): bytes.put(line, node)
        case .tick: break
        case .roomTick(let room): bytes.put(room)
        }
    }

    private var kind: Kind {
        switch self {
        case .opened: .opened
        case .lost: .lost
        case .closed: .closed
        case .join: .join
        case .leave: .leave
        case .knock: .knock
        case .admit: .admit
        case .protect: .protect
        case .remove: .remove
        case .record: .record
        case .recordCall: .recordCall
        case .relay: .relay
        case .invite: .invite
        case .take: .take
        case .act: .act
        case .answers: .answers
        case .pushed: .pushed
        case .resumed: .resumed
        case .sentAway: .sentAway
        case .moved: .moved
        case .tick: .tick
        case .roomTick: .roomTick
        }
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        guard let kind = Kind(rawValue: try bytes.take()) else { throw ByteError(.malformed, at: 0) }
        switch kind {
        case .opened: self = .opened(try bytes.take(), try bytes.take())
        case .lost: self = .lost(try bytes.take(), fellSilent: try bytes.take())
        case .closed: self = .closed(try bytes.take(), saidGoodbye: try bytes.take())
        case .join: self = .join(try bytes.take(), try bytes.take(), try bytes.take())
        case .leave: self = .leave(try bytes.take(), try bytes.take())
        case .knock: self = .knock(try bytes.take(), try bytes.take())
        case .admit: self = .admit(try bytes.take(), try bytes.take(), try bytes.take())
        case .protect: self = .protect(try bytes.take(), try bytes.take())
        case .remove:
            self = .remove(try bytes.take(), try bytes.take(), by: try bytes.take(), isBanned: try bytes.take())
        case .record: self = .record(try bytes.take(), try bytes.take(), since: try bytes.take())
        case .relay: self = .relay(try bytes.take(), try bytes.take(), try bytes.take())
        case .sentAway: self = .sentAway(try bytes.take())
        case .moved: self = .moved(try bytes.take(), to: try bytes.take())
        case .tick: self = .tick
        case .roomTick: self = .roomTick(try bytes.take())
        case .invite, .take, .act, .answers, .pushed, .resumed, .recordCall: self = try Self.ofCall(kind, &bytes)
        }
    }

    private static func ofCall(_ kind: Kind, _ bytes: inout ByteReader) throws(ByteError) -> SharedChange {
        switch kind {
        case .take:
            .take(try bytes.take(), try bytes.take(), replacing: try bytes.take(), keepsMedia: try bytes.take())
        case .act: .act(try bytes.take(), try bytes.take(), try bytes.take())
        case .answers: .answers(try bytes.take(), try bytes.take())
        case .pushed: .pushed(try bytes.take(), try bytes.take())
        case .recordCall: .recordCall(try bytes.take(), try bytes.take(), since: try bytes.take())
        case .resumed: .resumed(try bytes.take())
        default: .invite(try bytes.take())
        }
    }
}

extension SharedChange.RoomEntry: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) { bytes.put(self.replaced, self.proof, self.rule) }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.init(replaced: try bytes.take(), proof: try bytes.take(), rule: try bytes.take())
    }
}

extension RelayedSignal: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        switch self.scope {
        case .room(let room): bytes.put(false, room)
        case .call(let call): bytes.put(true, call)
        }
        bytes.put(self.from, self.content.rawValue, self.json, self.attachments, self.number)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        let isOfCall: Bool = try bytes.take()
        let scope: SignalScope = isOfCall ? .call(try bytes.take()) : .room(try bytes.take())
        let from: SessionID = try bytes.take()
        guard let content = SignalContent(rawValue: try bytes.take()) else {
            throw ByteError(.malformed, at: bytes.offset)
        }
        self.init(
            scope, from: from, content, json: try bytes.take(), attachments: try bytes.take(),
            number: try bytes.take())
    }
}
