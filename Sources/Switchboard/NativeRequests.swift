internal import Bytes
internal import Calling
internal import JSON
package import SocketServer
package import Vocabulary

/// Turns the requests of our own clients into calls of the switchboard, and answers each.
package final class NativeRequests {
    private let board: Switchboard
    private let sessions: any SessionRequests
    private let chat: ChatRequests
    private let profiles: ProfileDesk
    private var random = SystemRandomNumberGenerator()

    package init(_ board: Switchboard, sessions: any SessionRequests, chat: ChatDesk, profiles: ProfileDesk) {
        self.board = board
        self.chat = ChatRequests(chat)
        self.profiles = profiles
        self.sessions = sessions
    }

    package func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from guest: Guest) {
        do throws(SwitchboardError) {
            try self.board.allow(guest)
            try self.perform(event, bytes, guest)
        } catch {
            self.answer(event, guest) { $0.error(error) }
        }
    }

    /// Only who asked for an answer gets one.
    private func answer(_ event: SocketEvent, _ guest: Guest, _ arguments: (inout JSONWriter) -> Void) {
        guard let ackID = event.ackID else { return }
        guest.socket.answer(ackID, arguments)
    }

    private func perform(_ event: SocketEvent, _ bytes: Span<UInt8>, _ guest: Guest) throws(SwitchboardError) {
        // Without their parts the placeholders would mean nothing to whoever got them.
        guard event.attachments.isEmpty else { throw SwitchboardError(.badRequest, "requests have no binary parts") }
        let name = JSONReader(bytes).text(at: event.name) ?? ""
        if name == "signal" { return try self.signal(event, bytes, guest) }
        let fields = try RequestFields(event, bytes)
        switch name.prefix(while: { $0 != "." }) {
        case "room": try self.room(name, fields, event, guest)
        case "call": try self.call(name, fields, event, guest)
        case "presence": try self.presence(name, fields, event, guest)
        case "chat": try self.chat.received(name, fields, ChatAsker(guest, event.ackID))
        case "profile": try self.profiles.received(name, fields, ChatAsker(guest, event.ackID))
        default: try self.session(name, fields, event, guest)
        }
    }

    private static func unknown(_ name: String) -> SwitchboardError {
        SwitchboardError(.unknownEvent, "no event is called '\(name.prefix(32))'")
    }
}

// MARK: - Signals

extension NativeRequests {
    private func signal(_ event: SocketEvent, _ bytes: Span<UInt8>, _ guest: Guest) throws(SwitchboardError) {
        let fields = try SignalFields(event, bytes)
        let most = self.board.settings.maxSignalBytes
        guard fields.json.count <= most else {
            throw SwitchboardError(.badRequest, "a signal has at most \(most) bytes")
        }
        let json = [UInt8](copying: bytes.extracting(fields.json))
        var number: UInt64?
        switch fields.scope {
        case .room(let room):
            number = try self.board.signal(fields.content, json, in: room, to: fields.target, from: guest)
        case .call(let call):
            try self.board.signal(fields.content, json, in: call, from: guest)
        }
        self.answer(event, guest) { json in
            json.object { json in if let number { json.number(number) } }
        }
    }
}

// MARK: - Rooms

extension NativeRequests {
    private func room(
        _ name: String, _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        let room = try fields.required("room") { RoomName($0) }
        switch name {
        case "room.join":
            let replaced = try fields.text("replaces") { SessionID($0) }
            let view = try self.board.join(room, guest, replacing: replaced)
            self.answer(event, guest) { $0.view(view) }
        case "room.leave":
            self.board.leave(room, guest)
            self.answer(event, guest) { $0.object { _ in } }
        case "room.members":
            let view = try self.board.view(of: room, for: guest)
            self.answer(event, guest) { $0.view(view) }
        default: throw Self.unknown(name)
        }
    }
}

// MARK: - Calls

extension NativeRequests {
    private func call(
        _ name: String, _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        if name == "call.invite" { return try self.invite(fields, event, guest) }
        if name == "call.answering" { return try self.answering(fields, event, guest) }
        let call = try fields.required("call") { CallID($0) }
        switch name {
        case "call.ringing": try self.board.acknowledge(call, by: guest)
        case "call.accept": try self.board.accept(call, by: guest)
        case "call.decline": try self.board.decline(call, by: guest)
        case "call.hangup": try self.board.hangUp(call, by: guest)
        case "call.failed": try self.board.fail(call, by: guest)
        case "call.take":
            let replaced = try fields.text("replaces") { SessionID($0) }
            let view = try self.board.takeSeat(in: call, replacing: replaced, by: guest)
            return self.answer(event, guest) { $0.view(view, self.board) }
        default: throw Self.unknown(name)
        }
        self.answer(event, guest) { $0.object { _ in } }
    }

    private func answering(
        _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        guard let count = try fields.integer("atOnce"), count > 0 else {
            throw SwitchboardError(.badRequest, "'atOnce' is how many calls this device takes at once")
        }
        self.board.answer(count, by: guest)
        self.answer(event, guest) { $0.object { _ in } }
    }

    private func invite(
        _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        let callee = try fields.required("user") { UserID($0) }
        let kind = try fields.text("kind") { CallKind(rawValue: $0) } ?? .video
        let wanted = try fields.text("call") { CallID($0) }
        let call = try self.board.invite(callee, kind, as: wanted ?? CallID(using: &self.random), from: guest)
        self.answer(event, guest) { $0.fields(("call", call.text)) }
    }
}

// MARK: - Presence

extension NativeRequests {
    private func presence(
        _ name: String, _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        if fields.bool("everybody") { return try self.presenceOfEverybody(name, event, guest) }
        let users = try fields.users("users", atMost: self.board.settings.presence.maximumWatchedPerLine)
        switch name {
        case "presence.watch":
            let views = try self.board.watch(users, by: guest)
            self.answer(event, guest) { json in json.object { $0.users(views) } }
        case "presence.unwatch":
            self.board.unwatch(users, by: guest)
            self.answer(event, guest) { $0.object { _ in } }
        default: throw Self.unknown(name)
        }
    }

    private func presenceOfEverybody(
        _ name: String, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        switch name {
        case "presence.watch":
            try self.board.watchEverybody(by: guest)
            self.answer(event, guest) { json in
                json.object { json in
                    json.key("count")
                    json.integer(self.board.onlineCount)
                    json.users(self.board.viewOfEverybody)
                }
            }
        case "presence.unwatch":
            try self.board.unwatchEverybody(by: guest)
            self.answer(event, guest) { $0.object { _ in } }
        default: throw Self.unknown(name)
        }
    }
}

// MARK: - The session itself

/// What is asked of a session and is not for the switchboard to know: tokens and ICE servers.
package protocol SessionRequests: AnyObject {
    /// Takes a fresh token. Answers until when the session may last now.
    func refresh(_ guest: Guest, token: String) throws(SwitchboardError) -> WallTime
    /// `{"iceServers":[…],"expires":…}` for this guest.
    func iceServers(for guest: Guest) -> [UInt8]
}

extension NativeRequests {
    private func session(
        _ name: String, _ fields: borrowing RequestFields, _ event: SocketEvent, _ guest: Guest
    ) throws(SwitchboardError) {
        switch name {
        case "session.refresh":
            let token = try fields.required("token") { $0.utf8.count <= 4096 ? $0 : nil }
            let expires = try self.sessions.refresh(guest, token: token)
            self.answer(event, guest) { json in
                json.object { json in
                    json.key("expires")
                    json.integer(expires.milliseconds)
                }
            }
        case "ice.servers":
            let json = self.sessions.iceServers(for: guest)
            self.answer(event, guest) { $0.raw(json) }
        default: throw Self.unknown(name)
        }
    }
}

// MARK: - Answers

extension JSONWriter {
    fileprivate mutating func view(_ view: RoomView) {
        self.fields(("room", view.room.text), ("member", view.member.text)) { json in
            json.number(view.number)
            json.key("count")
            json.integer(view.count)
            json.key("members")
            json.array { json in
                for person in view.others { json.object { $0.members(of: person) } }
            }
        }
    }

    fileprivate mutating func users(_ views: [PresenceView]) {
        self.key("users")
        self.array { json in
            for view in views { json.presence(view) }
        }
    }

    private mutating func presence(_ view: PresenceView) {
        self.fields(("user", view.user.text)) { json in
            if let name = view.name {
                json.key("name")
                json.string(name.text)
            }
            json.avatar(view.avatar)
            json.key("online")
            json.bool(view.isOnline)
        }
    }

    fileprivate mutating func view(_ view: CallView, _ board: Switchboard) {
        let phase: (String, CallConnection?, Bool) =
            switch view.phase {
            case .ringing: ("ringing", nil, false)
            case .talking(let connection, let isAway): ("talking", connection, isAway)
            case .talkingElsewhere: ("elsewhere", nil, false)
            case .ended(let outcome): (outcome.rawValue, nil, false)
            }
        self.fields(
            ("call", view.id.text), ("caller", view.caller.text), ("callee", view.callee.text),
            ("kind", view.kind.rawValue), ("phase", phase.0)
        ) { json in
            guard let connection = phase.1 else { return }
            json.key("role")
            json.string(connection.role.rawValue)
            json.key("peer")
            json.object { $0.members(of: board.person(connection.peer, isAway: phase.2)) }
        }
    }
}
