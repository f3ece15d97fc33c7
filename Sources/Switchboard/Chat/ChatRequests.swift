internal import Conversing
package import JSON
internal import SocketServer
internal import Store
package import Vocabulary

/// Turns what our own clients ask about conversations into calls of the chat desk, and answers each when it is safe.
final class ChatRequests {
    private let desk: ChatDesk

    init(_ desk: ChatDesk) { self.desk = desk }

    static let longestPage = 200
    static let mostPositions = 1000

    func received(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        if let change = try self.change(name, fields, asked.user) {
            return self.desk.change(change, from: asked.guest) { asked.answer($0) { $0.outcome(of: $1) } }
        }
        switch name {
        case "chat.create": try self.create(fields, asked)
        case "chat.read", "chat.delivered": try self.mark(name, fields, asked)
        case "chat.typing": try self.type(fields, asked)
        case "chat.sync": try self.sync(fields, asked)
        case "chat.history", "chat.search": try self.look(name, fields, asked)
        case "chat.conversations", "chat.conversation", "chat.members": try self.list(name, fields, asked)
        case "chat.clear", "chat.mute", "chat.retention": try self.arrange(name, fields, asked)
        case "chat.block", "chat.blocked": try self.block(name, fields, asked)
        default: throw SwitchboardError(.unknownEvent, "no event is called '\(name.prefix(32))'")
        }
    }
}

/// Somebody who asks for something about conversations, and waits for the answer: on their line, or over HTTP.
package struct ChatAsker {
    let user: UserID
    let device: DeviceID
    let guest: Guest?
    private let reply: (Result<(inout JSONWriter) -> Void, SwitchboardError>) -> Void

    package init(
        _ user: UserID, on device: DeviceID,
        reply: @escaping (Result<(inout JSONWriter) -> Void, SwitchboardError>) -> Void
    ) {
        self.user = user
        self.device = device
        self.guest = nil
        self.reply = reply
    }

    init(_ guest: Guest, _ ackID: Int?) {
        self.user = guest.user
        self.device = guest.device
        self.guest = guest
        self.reply = { result in
            guard let ackID else { return }
            guest.socket.answer(ackID) { json in
                switch result {
                case .success(let write): write(&json)
                case .failure(let error): json.error(error)
                }
            }
        }
    }

    func answer<Value>(_ result: Result<Value, SwitchboardError>, _ write: @escaping (inout JSONWriter, Value) -> Void)
    {
        self.reply(result.map { value in { json in write(&json, value) } })
    }

    func done<Value>(_ result: Result<Value, SwitchboardError>) {
        self.answer(result) { json, _ in json.object { _ in } }
    }
}

extension ChatDesk {
    /// The same requests over another door: `json` is the one object.
    package func request(_ name: String, _ json: [UInt8], by asker: ChatAsker) throws(SwitchboardError) {
        try ChatRequests(self).received(name, try RequestFields(document: json.span), asker)
    }

    /// Where somebody says they are, among the fields of the one object that `json` is.
    package static func positions(in json: [UInt8]) throws(SwitchboardError) -> [ConversationID: UInt64] {
        try RequestFields(document: json.span).numbers("positions", atMost: ChatRequests.mostPositions)
    }
}

// MARK: - Saying something

extension ChatRequests {
    /// Nil when the event is none that changes a conversation.
    private func change(
        _ name: String, _ fields: borrowing RequestFields, _ user: UserID
    ) throws(SwitchboardError) -> ChangeRequest? {
        let change: ConversationChange
        switch name {
        case "chat.send": return try self.post(fields, user)
        case "chat.edit": change = .edit(try fields.requiredNumber("number"), try self.body(fields, for: nil))
        case "chat.recall": change = .recall(try fields.requiredNumber("number"))
        case "chat.react":
            let reaction = try fields.required("reaction") { Reaction($0) }
            change = .react(
                try fields.requiredNumber("number"), reaction, isOn: fields.value("on") == nil || fields.bool("on"))
        case "chat.invite": change = .invite(try fields.users("users", atMost: self.desk.settings.maxNames))
        case "chat.join": change = .join
        case "chat.leave": change = .leave
        case "chat.remove": change = .remove(try fields.required("user") { UserID($0) })
        case "chat.rename": change = .rename(try fields.required("title") { DisplayName($0) })
        case "chat.role":
            let member = try fields.required("user") { UserID($0) }
            change = .setRole(member, try fields.required("role") { Role($0) })
        case "chat.silence":
            let until = try fields.integer("until").map { WallTime(milliseconds: Int64($0)) }
            change = .silence(try fields.required("user") { UserID($0) }, until: until)
        case "chat.dissolve": change = .dissolve
        default: return nil
        }
        let id = try fields.required("conversation") { ConversationID($0) }
        return ChangeRequest(
            .id(id), change, by: user, as: try fields.text("id") { MessageID($0) }, at: self.desk.now)
    }

    private func post(_ fields: borrowing RequestFields, _ user: UserID) throws(SwitchboardError) -> ChangeRequest {
        let original = try self.original(fields)
        let kind = try fields.text("kind") { MessageKind($0) } ?? .text
        // What is forwarded brings its own body.
        let body = original == nil ? try self.body(fields, for: kind) : MessageBody(proven: Array("{}".utf8))
        var draft = Draft(kind, body)
        draft.reply = try fields.number("reply")
        if fields.value("mentions") != nil {
            draft.mentions = try fields.users("mentions", atMost: self.desk.settings.maxNames)
        }
        var request = ChangeRequest(
            try self.address(fields), .post(draft), by: user, as: try fields.text("id") { MessageID($0) },
            at: self.desk.now)
        request.original = original
        request.keptFields = self.desk.settings.keptFields
        return request
    }

    private func address(_ fields: borrowing RequestFields) throws(SwitchboardError) -> ConversationAddress {
        if let id = try fields.text("conversation", as: { ConversationID($0) }) { return .id(id) }
        guard let user = try fields.text("user", as: { UserID($0) }) else {
            throw SwitchboardError(.badRequest, "name a 'conversation', or the 'user' it is for")
        }
        return .user(user, new: self.desk.newID())
    }

    private func body(
        _ fields: borrowing RequestFields, for kind: MessageKind?
    ) throws(SwitchboardError) -> MessageBody {
        guard let json = try fields.object("body", atMost: self.desk.settings.maxBodyBytes) else {
            throw SwitchboardError(.badRequest, "'body' is missing")
        }
        let body = MessageBody(proven: json)
        let kept = self.desk.settings.keptFields
        guard !kept.appear(in: body) else {
            let names = kept.members.map { "'\($0)'" }.joined(separator: " and ")
            throw SwitchboardError(.badRequest, "\(names) in a body are written by the server only")
        }
        guard kind.map(body.suits) ?? true else {
            throw SwitchboardError(.badRequest, "a text has a 'text' in its body, what is one file a 'file'")
        }
        return body
    }

    private func original(
        _ fields: borrowing RequestFields
    ) throws(SwitchboardError) -> (conversation: ConversationID, number: UInt64)? {
        guard fields.value("forward") != nil else { return nil }
        let inner = fields.inner("forward")
        return (try inner.required("conversation") { ConversationID($0) }, try inner.requiredNumber("number"))
    }

    private func create(_ fields: borrowing RequestFields, _ asked: ChatAsker) throws(SwitchboardError) {
        let kind = try fields.text("kind") { ConversationKind(rawValue: $0) } ?? .group
        guard kind == .group || kind == .room else {
            throw SwitchboardError(.badRequest, "'kind' is group or room")
        }
        let id = try fields.text("conversation") { ConversationID($0) } ?? self.desk.newID()
        // Whoever took such an id first would be where others look for something else.
        guard !self.desk.settings.keptFields.reserve(id) else {
            throw SwitchboardError(.badRequest, "conversations with such ids are made by the server only")
        }
        let users =
            fields.value("users") == nil ? [] : try fields.users("users", atMost: self.desk.settings.maxNames)
        let request = CreationRequest(
            id, kind, title: try fields.text("title") { DisplayName($0) }, by: asked.user, with: users,
            as: try fields.text("id") { MessageID($0) }, at: self.desk.now)
        self.desk.create(request, from: asked.guest) { asked.answer($0) { $0.outcome(of: $1) } }
    }
}

// MARK: - Reading

extension ChatRequests {
    private func mark(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        let number = try fields.requiredNumber("number")
        let id = try fields.required("conversation") { ConversationID($0) }
        let request = MarkRequest(
            id, of: asked.user, on: asked.device, delivered: number,
            read: name == "chat.read" ? number : nil, at: self.desk.now)
        self.desk.mark(request) { asked.answer($0) { $0.marked($1) } }
    }

    private func type(_ fields: borrowing RequestFields, _ asked: ChatAsker) throws(SwitchboardError) {
        let id = try fields.required("conversation") { ConversationID($0) }
        guard let guest = asked.guest else { throw SwitchboardError(.badRequest, "typing is for those on a line") }
        try self.desk.typed(fields.value("on") == nil || fields.bool("on"), id, by: guest)
        asked.done(.success(()))
    }

    private func sync(_ fields: borrowing RequestFields, _ asked: ChatAsker) throws(SwitchboardError) {
        var request = SyncRequest(asked.user, on: asked.device)
        request.positions = try fields.numbers("positions", atMost: Self.mostPositions)
        request.limit = min(max(try fields.integer("limit") ?? request.limit, 0), 1000)
        request.newest = try fields.integer("newest").map { min(max($0, 1), Self.longestPage) }
        let hasEcho = fields.value("echo") == nil || fields.bool("echo")
        guard let guest = asked.guest else {
            return self.desk.missed(request) { asked.answer($0) { $0.synced($1) } }
        }
        self.desk.sync(request, guest, hasEcho: hasEcho) { asked.answer($0) { $0.synced($1) } }
    }

    static func limit(_ fields: borrowing RequestFields, usually: Int) throws(SwitchboardError) -> Int {
        min(max(try fields.integer("limit") ?? usually, 1), Self.longestPage)
    }

    private func look(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        let limit = try Self.limit(fields, usually: 20)
        if name == "chat.search" {
            let text = try fields.required("text") { $0.utf8.count <= 512 ? $0 : nil }
            let id = try fields.text("conversation") { ConversationID($0) }
            return self.desk.search(SearchRequest(text, for: asked.user, in: id, limit: limit)) {
                asked.answer($0) { $0.page($1) }
            }
        }
        let direction: HistoryRequest.Direction =
            if let after = try fields.number("after") { .after(after) } else { .before(try fields.number("before")) }
        let id = try fields.required("conversation") { ConversationID($0) }
        self.desk.history(HistoryRequest(id, for: asked.user, direction, limit: limit)) {
            asked.answer($0) { $0.page($1) }
        }
    }

    private func list(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        let (user, limit) = (asked.user, try Self.limit(fields, usually: 50))
        if name == "chat.conversations" {
            let place = try fields.text("before") { ConversationPlace(cursor: $0) }
            return self.desk.conversations(of: user, before: place, limit: limit) {
                asked.answer($0) { $0.conversations($1) }
            }
        }
        let id = try fields.required("conversation") { ConversationID($0) }
        if name == "chat.conversation" {
            return self.desk.conversation(id, of: user) { asked.answer($0) { $0.conversation($1) } }
        }
        let after = try fields.text("after") { UserID($0) }?.text ?? ""
        self.desk.members(MemberRequest(id, for: user, after: after, limit: limit)) {
            asked.answer($0) { $0.memberList($1, limit: limit) }
        }
    }
}

// MARK: - One's own arrangements

extension ChatRequests {
    private func arrange(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        let id = try fields.required("conversation") { ConversationID($0) }
        if name == "chat.retention" {
            return self.desk.setRetention(try self.retention(fields), id, by: asked.user) { asked.done($0) }
        }
        if name == "chat.clear" { return self.desk.clear(id, of: asked.user) { asked.done($0) } }
        let isMuted = fields.value("on") == nil || fields.bool("on")
        self.desk.setMuted(isMuted, id, of: asked.user) { asked.done($0) }
    }

    private static let mostDays = 36_500

    private func retention(_ fields: borrowing RequestFields) throws(SwitchboardError) -> Duration? {
        guard fields.value("on") == nil || fields.bool("on") else { return nil }
        guard let days = try fields.integer("days"), (1...Self.mostDays).contains(days) else {
            throw SwitchboardError(.badRequest, "'days' is a number from 1 to \(Self.mostDays)")
        }
        return .seconds(Int64(days) * 86_400)
    }

    private func block(
        _ name: String, _ fields: borrowing RequestFields, _ asked: ChatAsker
    ) throws(SwitchboardError) {
        if name == "chat.blocked" {
            return self.desk.blocked(by: asked.user) { result in
                asked.answer(result) { json, users in json.names("users", users) }
            }
        }
        let other = try fields.required("user") { UserID($0) }
        guard other != asked.user else { throw SwitchboardError(.badRequest, "nobody can block themselves") }
        self.desk.setBlocked(fields.value("on") == nil || fields.bool("on"), other, by: asked.user) {
            asked.done($0)
        }
    }
}

extension JSONWriter {
    mutating func names(_ field: String, _ users: [UserID]) {
        self.object { json in
            json.key(field)
            json.array { json in for user in users { json.string(user.text) } }
        }
    }
}
