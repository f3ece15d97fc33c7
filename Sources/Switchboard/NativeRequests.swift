internal import Bytes
package import Calling
internal import Hashing
internal import JSON
package import Operations
package import SocketServer
package import Vocabulary

/// Turns the requests of our own clients into calls of the switchboard, and answers each.
package final class NativeRequests {
    private let board: Switchboard
    private let sessions: any SessionRequests
    private let chat: ChatRequests
    private let profiles: ProfileService
    private var random = BufferedRandom()

    package init(_ board: Switchboard, sessions: any SessionRequests, chat: ChatService, profiles: ProfileService) {
        self.board = board
        self.chat = ChatRequests(chat)
        self.profiles = profiles
        self.sessions = sessions
    }

    package func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from guest: Guest) {
        do throws(RequestError) {
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

    private func done(_ event: SocketEvent, _ guest: Guest) {
        self.answer(event, guest) { $0.object { _ in } }
    }

    /// Answers once it is known what became of the request.
    private func answering<Value>(
        _ event: SocketEvent, _ guest: Guest, _ write: @escaping (inout JSONWriter, Value) -> Void
    ) -> (Result<Value, RequestError>) -> Void {
        { [unowned self] result in
            self.answer(event, guest) { json in
                switch result {
                case .success(let value): write(&json, value)
                case .failure(let error): json.error(error)
                }
            }
        }
    }

    private func answering(_ event: SocketEvent, _ guest: Guest) -> SharedAnswer {
        self.answering(event, guest) { json, _ in json.object { _ in } }
    }

    private func perform(_ event: SocketEvent, _ bytes: Span<UInt8>, _ guest: Guest) throws(RequestError) {
        // Without their parts the placeholders would mean nothing to the receiver.
        guard event.attachments.isEmpty else { throw RequestError(.badRequest, "requests have no binary parts") }
        let operation = try Self.operation(event, bytes)
        if case .signal = operation { return try self.signal(event, bytes, guest) }
        let fields = try JSONObject(bytes, arguments: event.arguments, count: event.argumentCount)
        switch operation {
        case .signal: break
        case .room(let operation): try self.carryOut(try operation.request(fields), event, guest)
        case .call(let operation): try self.carryOut(try operation.request(fields), event, guest)
        case .presence(let operation): try self.carryOut(try operation.request(fields), event, guest)
        case .session(let operation): try self.carryOut(try operation.request(fields), event, guest)
        case .chat(let operation):
            try self.chat.carryOut(try operation.request(fields), ChatAsker(guest, event.ackID))
        case .profile(let operation):
            try self.profiles.carryOut(try operation.request(fields), ChatAsker(guest, event.ackID))
        }
    }

    private static func operation(_ event: SocketEvent, _ bytes: Span<UInt8>) throws(RequestError) -> Operation {
        let quoted = event.name
        // The first of an event's arguments may also be a number, which has no quotes around it.
        let isText = bytes[quoted.lowerBound] == UInt8(ascii: "\"")
        if isText, let known = Operation(bytes.extracting(quoted.lowerBound + 1..<quoted.upperBound - 1)) {
            return known
        }
        // A name may be written with escapes.
        let name = JSONReader(bytes).text(at: quoted) ?? ""
        guard let known = Operation(name) else {
            throw RequestError(.unknownEvent, "no event is called '\(name.prefix(32))'")
        }
        return known
    }
}

// MARK: - Signals

extension NativeRequests {
    private func signal(_ event: SocketEvent, _ bytes: Span<UInt8>, _ guest: Guest) throws(RequestError) {
        let request = try SignalRequest(bytes, arguments: event.arguments, count: event.argumentCount)
        let maximum = self.board.settings.maximumSignalBytes
        guard request.json.count <= maximum else {
            throw RequestError(.badRequest, "a signal has at most \(maximum) bytes")
        }
        let json = [UInt8](copying: bytes.extracting(request.json))
        switch request.scope {
        case .room(let room):
            let answer = self.answering(event, guest) { (json, number: UInt64?) in
                json.object { json in if let number { json.field("number", number) } }
            }
            self.board.signal(request.content, json, in: room, to: request.receiver, from: guest, answer)
        case .call(let call):
            try self.board.signal(request.content, json, in: call, from: guest)
            self.done(event, guest)
        }
    }
}

// MARK: - Rooms and calls

extension NativeRequests {
    private func carryOut(_ request: RoomRequest, _ event: SocketEvent, _ guest: Guest) throws(RequestError) {
        switch request {
        case .join(let room, let replaced, let key):
            self.board.join(
                room, guest, replacing: replaced, key, self.answering(event, guest) { json, view in json.view(view) })
        case .leave(let room): self.board.leave(room, guest, self.answering(event, guest))
        case .members(let room):
            let view = try self.board.view(of: room, for: guest.line)
            self.answer(event, guest) { $0.view(view) }
        case .knock(let room): self.board.knock(at: room, guest, self.answering(event, guest))
        case .remove(let room, let user, let isBanned):
            self.board.remove(user, from: room, isBanned: isBanned, by: guest, self.answering(event, guest))
        case .record(let room, let isOn): self.board.record(in: room, isOn, guest, self.answering(event, guest))
        case .admit(let room, let user): self.board.admit(user, to: room, by: guest, self.answering(event, guest))
        }
    }

    private func carryOut(_ request: CallRequest, _ event: SocketEvent, _ guest: Guest) throws(RequestError) {
        let done = self.answering(event, guest)
        switch request {
        case .invite(let callee, let kind, let wanted):
            let id = wanted ?? CallID(using: &self.random)
            let answer = self.answering(event, guest) { (json, call: CallID) in json.fields(("call", call.text)) }
            self.board.invite(callee, kind, as: id, from: guest, answer)
        case .take(let call, let replaced, let keepsMedia):
            let board = self.board
            let answer = self.answering(event, guest) { (json, view: CallView) in json.view(view, board) }
            self.board.takeSeat(in: call, replacing: replaced, keepsMedia: keepsMedia, by: guest, answer)
        case .answering(let count):
            self.board.answer(count, by: guest)
            self.done(event, guest)
        case .record(let call, let isOn): self.board.record(in: call, isOn, by: guest, done)
        case .ringing(let call): self.board.act(.acknowledge, in: call, by: guest, done)
        case .accept(let call): self.board.act(.accept, in: call, by: guest, done)
        case .decline(let call): self.board.act(.decline, in: call, by: guest, done)
        case .hangUp(let call): self.board.act(.hangUp, in: call, by: guest, done)
        case .failed(let call): self.board.act(.fail, in: call, by: guest, done)
        }
    }
}

// MARK: - Presence

extension NativeRequests {
    private func carryOut(_ request: PresenceRequest, _ event: SocketEvent, _ guest: Guest) throws(RequestError) {
        switch request {
        case .watch(.users(let users)):
            let views = try self.board.watch(users, by: guest)
            self.answer(event, guest) { json in json.object { $0.users(views) } }
        case .watch(.everybody):
            try self.board.watchEverybody(by: guest)
            self.answer(event, guest) { json in
                json.object { json in
                    json.field("count", self.board.onlineCount)
                    json.users(self.board.viewOfEverybody)
                }
            }
        case .unwatch(.users(let users)):
            self.board.unwatch(users, by: guest)
            self.done(event, guest)
        case .unwatch(.everybody):
            self.board.unwatchEverybody(by: guest)
            self.done(event, guest)
        }
    }
}

// MARK: - The session itself

/// What is asked of a session and is not for the switchboard to know: tokens and ICE servers.
package protocol SessionRequests: AnyObject {
    /// Takes a fresh token. Answers until when the session may last now.
    func refresh(_ guest: Guest, token: String) throws(RequestError) -> WallTime
    /// `{"iceServers":[…],"expires":…}` for this guest; for one of their seats with `"quota"`.
    func iceServers(for guest: Guest, in scope: SignalScope?) -> [UInt8]
}

extension NativeRequests {
    private func carryOut(_ request: SessionRequest, _ event: SocketEvent, _ guest: Guest) throws(RequestError) {
        switch request {
        case .refresh(let token):
            let expires = try self.sessions.refresh(guest, token: token)
            self.answer(event, guest) { $0.object { $0.field("expires", expires.milliseconds) } }
        case .iceServers(let scope):
            if let scope { try self.board.checkSeat(of: guest, in: scope) }
            let json = self.sessions.iceServers(for: guest, in: scope)
            self.answer(event, guest) { $0.raw(json) }
        }
    }
}

// MARK: - Answers

extension RoomRule {
    /// Nil where anybody may come in.
    package var word: String? {
        switch self {
        case .open: nil
        case .password: "password"
        case .invitation: "invitation"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func view(_ view: RoomView) {
        self.fields(("room", view.room.text), ("member", view.member.text)) { json in
            json.field("number", view.number)
            json.field("count", view.count)
            json.optional("access", view.rule.word)
            json.optional("host", view.host?.text)
            json.array("members", of: view.others) { json, person in json.object { $0.members(of: person) } }
        }
    }

    fileprivate mutating func users(_ views: [PresenceView]) {
        self.array("users", of: views) { $0.presence($1) }
    }

    private mutating func presence(_ view: PresenceView) {
        self.object { json in
            json.members([("user", view.user.text), ("name", view.name?.text), ("avatar", view.avatar?.text)])
            json.field("online", view.isOnline)
        }
    }

    fileprivate mutating func view(_ view: CallView, _ board: Switchboard) {
        let phase: (String, peer: Person?, role: String?) =
            switch view.phase {
            case .ringing: ("ringing", nil, nil)
            case .talking(let connection, let isAway, let start):
                (
                    "talking", board.person(connection.peer, isAway: isAway, recordingSince: start),
                    connection.role.rawValue
                )
            case .talkingElsewhere: ("elsewhere", nil, nil)
            case .ended(let outcome): (outcome.rawValue, nil, nil)
            }
        self.fields(
            ("call", view.id.text), ("caller", view.caller.text), ("callee", view.callee.text),
            ("kind", view.kind.rawValue), ("phase", phase.0)
        ) { json in
            guard let peer = phase.peer, let role = phase.role else { return }
            json.field("role", role)
            if view.keepsMedia { json.field("keeps", true) }
            json.object("peer") { $0.members(of: peer) }
        }
    }
}
