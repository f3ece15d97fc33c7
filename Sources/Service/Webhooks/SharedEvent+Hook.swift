internal import Calling
internal import JSON
internal import Switchboard
internal import Vocabulary

/// How another program is told of an event.
extension SharedEvent {
    var hookTopic: HookTopic {
        switch self {
        case .cameOnline, .wentOffline: .presence
        case .room: .rooms
        case .callStarted, .callAnswered, .callEnded: .calls
        }
    }

    /// All that has the same is told in a row.
    var hookSubject: String {
        switch self {
        case .cameOnline(let user), .wentOffline(let user): "user \(user.text)"
        case .room(let room, _): "room \(room.text)"
        case .callStarted(let call): call.id.text
        case .callAnswered(let call): call.id.text
        case .callEnded(let call): call.id.text
        }
    }

    func hookJSON(at time: WallTime) -> String {
        let json = JSONWriter.object { json in
            json.field("event", self.hookName)
            json.field("time", time.milliseconds)
            self.writeMembers(&json)
        }
        return String(decoding: json, as: UTF8.self)
    }

    private var hookName: String {
        switch self {
        case .cameOnline, .wentOffline: "presence"
        case .room(_, .opened): "room.opened"
        case .room(_, .joined): "room.joined"
        case .room(_, .gone): "room.left"
        case .room(_, .ended): "room.closed"
        case .callStarted: "call.started"
        case .callAnswered: "call.answered"
        case .callEnded: "call.ended"
        }
    }

    private func writeMembers(_ json: inout JSONWriter) {
        switch self {
        case .cameOnline(let user): json.presence(of: user, isOnline: true)
        case .wentOffline(let user): json.presence(of: user, isOnline: false)
        case .room(let room, let news):
            json.field("room", room.text)
            news.writeMembers(&json)
        case .callStarted(let call): json.call(call.id, call.kind, from: call.caller.user, to: call.callee)
        case .callAnswered(let call): json.call(call.id, call.kind, from: call.caller.user, to: call.callee.user)
        case .callEnded(let call):
            json.call(call.id, call.kind, from: call.caller, to: call.callee)
            json.field("outcome", call.outcome.rawValue)
            json.optional("by", call.endedBy?.text)
            json.optional("seconds", call.answered.map { $0.duration(to: call.ended).components.seconds })
        }
    }
}

extension RoomNews {
    fileprivate func writeMembers(_ json: inout JSONWriter) {
        switch self {
        case .opened, .ended: return
        case .joined(let line): json.member(line)
        case .gone(let line, let departure):
            json.member(line)
            json.field("reason", departure.rawValue)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func presence(of user: UserID, isOnline: Bool) {
        self.field("user", user.text)
        self.field("online", isOnline)
    }

    fileprivate mutating func member(_ line: Line) {
        self.field("user", line.user.text)
        self.field("member", line.session.text)
    }

    fileprivate mutating func call(_ id: CallID, _ kind: CallKind, from caller: UserID, to callee: UserID) {
        self.field("call", id.text)
        self.field("kind", kind.rawValue)
        self.field("from", caller.text)
        self.field("to", callee.text)
    }
}
