internal import Conversing
package import JSON
package import Operations
internal import SocketServer
internal import Keeping
package import Vocabulary

/// Carries out what is asked about conversations, and answers each request when it is safe.
final class ChatRequests {
    private let chat: ChatService

    init(_ chat: ChatService) { self.chat = chat }

    func carryOut(_ request: ChatRequest, _ asked: ChatAsker) throws(RequestError) {
        switch request {
        case .send(let recipient, let posting, let reply, let mentions, let client):
            let draft = try self.draft(posting, replyingTo: reply, mentioning: mentions)
            try self.send(draft, to: recipient, as: client, forwarding: posting.original, asked)
        case .change(let id, let change, let client):
            if case .edit(_, let body) = change { try self.check(body) }
            self.change(ChangeRequest(.id(id), change, by: asked.user, as: client, at: self.chat.now), asked)
        case .create(let kind, let title, let users, let id, let client):
            try self.create(kind, title: title, with: users, as: id, client, asked)
        case .sync(let positions, let newest, let limit, let hasEcho):
            self.sync(from: positions, newest: newest, limit: limit, hasEcho: hasEcho, asked)
        case .history(let id, let range, let limit):
            self.chat.ask(HistoryRequest(id, for: asked.user, range, limit: limit)) {
                asked.answer($0) { $0.page($1) }
            }
        case .search(let words, let id, let limit): self.search(words, in: id, limit: limit, asked)
        case .conversations(let cursor, let limit): try self.conversations(before: cursor, limit: limit, asked)
        case .conversation(let id):
            self.chat.ask(ViewConversation(id, for: asked.user)) { asked.answer($0) { $0.conversation($1) } }
        case .members(let id, let after, let limit):
            self.chat.ask(MemberRequest(id, for: asked.user, after: after?.text ?? "", limit: limit)) {
                asked.answer($0) { $0.memberList($1, limit: limit) }
            }
        case .sanctions(let id, let after, let limit): try self.sanctions(id, after: after, limit, asked)
        case .readmit(let id, let user):
            self.chat.ask(Readmit(user, to: id, by: asked.user, at: self.chat.now)) { asked.done($0) }
        case .report(let target, let reason, let text): try self.report(target, reason, text, asked)
        case .delivered(let id, let number): self.mark(id, delivered: number, read: nil, asked)
        case .read(let id, let number): self.mark(id, delivered: number, read: number, asked)
        case .marks(let id): self.chat.ask(ViewMarks(in: id, of: asked.user)) { asked.answer($0) { $0.marks($1) } }
        case .typing(let id, let isOn): try self.type(id, isOn, asked)
        case .clear(let id): self.chat.ask(ClearHistory(of: id, for: asked.user)) { asked.done($0) }
        case .mute(let id, let isOn): self.chat.arrange(SetMuted(isOn, id, of: asked.user)) { asked.done($0) }
        case .archive(let id, let isOn): self.chat.arrange(SetArchived(isOn, id, of: asked.user)) { asked.done($0) }
        case .retention(let id, let retention):
            self.chat.change(SetRetention(retention, id, by: asked.user)) { asked.done($0) }
        case .slow(let id, let slowMode):
            self.chat.change(SetSlowMode(slowMode, id, by: asked.user, at: self.chat.now)) { asked.done($0) }
        case .block(let other, let isOn): try self.block(other, isOn, asked)
        case .blocked:
            self.chat.fetch(ListBlocked(by: asked.user)) { asked.answer($0) { $0.names($1) } }
        }
    }
}

/// A client that asks for something about conversations, and waits for the answer: on their line, or over HTTP.
package struct ChatAsker {
    let user: UserID
    let device: DeviceID
    let guest: Guest?
    /// What the request follows from, where its client said so.
    package var trace: TraceContext?
    private let reply: (Result<(inout JSONWriter) -> Void, RequestError>) -> Void

    package init(
        _ user: UserID, on device: DeviceID,
        reply: @escaping (Result<(inout JSONWriter) -> Void, RequestError>) -> Void
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

    func answer<Value>(_ result: Result<Value, RequestError>, _ write: @escaping (inout JSONWriter, Value) -> Void) {
        self.reply(result.map { value in { json in write(&json, value) } })
    }

    func done<Value>(_ result: Result<Value, RequestError>) {
        self.answer(result) { json, _ in json.object { _ in } }
    }
}

extension ChatService {
    /// The same requests over another door.
    package func carryOut(_ request: ChatRequest, by asker: ChatAsker) throws(RequestError) {
        try ChatRequests(self).carryOut(request, asker)
    }
}

// MARK: - Saying something

extension ChatRequests {
    private func change(_ request: ChangeRequest, _ asked: ChatAsker) {
        var request = request
        request.trace = asked.trace?.text
        self.chat.change(request, from: asked.guest) { asked.answer($0) { $0.outcome(of: $1) } }
    }

    private func create(
        _ kind: ConversationKind, title: DisplayName?, with users: [UserID], as id: ConversationID?,
        _ client: MessageID?, _ asked: ChatAsker
    ) throws(RequestError) {
        let request = CreationRequest(
            try self.checked(id), kind, title: title, by: asked.user, with: users, as: client, at: self.chat.now)
        self.chat.create(request, from: asked.guest) { asked.answer($0) { $0.outcome(of: $1) } }
    }

    private func draft(
        _ posting: Posting, replyingTo reply: UInt64?, mentioning mentions: [UserID]
    ) throws(RequestError) -> Draft {
        var draft: Draft
        switch posting {
        case .said(let kind, let body):
            try self.check(body)
            guard body.suits(kind) else {
                throw RequestError(.badRequest, "a text has a 'text' in its body, what is one file a 'file'")
            }
            draft = Draft(kind, body)
        // The message that is forwarded brings its own.
        case .forwarded: draft = Draft(.text, MessageBody(proven: Array("{}".utf8)))
        }
        draft.reply = reply
        draft.mentions = mentions
        return draft
    }

    private func send(
        _ draft: Draft, to recipient: Recipient, as client: MessageID?, forwarding original: MessagePlace?,
        _ asked: ChatAsker
    ) throws(RequestError) {
        let address: ConversationAddress =
            switch recipient {
            case .conversation(let id): .id(id)
            case .user(let user): .user(user, new: self.chat.newID())
            }
        var request = ChangeRequest(address, .post(draft), by: asked.user, as: client, at: self.chat.now)
        request.original = original.map { ($0.conversation, $0.number) }
        request.keptFields = self.chat.settings.keptFields
        self.change(request, asked)
    }

    private func check(_ body: MessageBody) throws(RequestError) {
        let kept = self.chat.settings.keptFields
        guard !kept.appear(in: body) else {
            let names = kept.members.map { "'\($0)'" }.joined(separator: " and ")
            throw RequestError(.badRequest, "\(names) in a body are written by the server only")
        }
    }

    private func checked(_ id: ConversationID?) throws(RequestError) -> ConversationID {
        guard let id else { return self.chat.newID() }
        // A client that took such an id first would be where others look for something else.
        guard !self.chat.settings.keptFields.reserve(id) else {
            throw RequestError(.badRequest, "conversations with such ids are made by the server only")
        }
        return id
    }
}

extension Posting {
    fileprivate var original: MessagePlace? {
        switch self {
        case .said: nil
        case .forwarded(let place): place
        }
    }
}

// MARK: - Reading

extension ChatRequests {
    private func mark(_ id: ConversationID, delivered: UInt64, read: UInt64?, _ asked: ChatAsker) {
        let request = MarkRequest(
            id, of: asked.user, on: asked.device, delivered: delivered, read: read, at: self.chat.now)
        self.chat.mark(request) { asked.answer($0) { $0.marked($1) } }
    }

    private func sync(
        from positions: [ConversationID: UInt64], newest: Int?, limit: Int?, hasEcho: Bool, _ asked: ChatAsker
    ) {
        var request = SyncRequest(asked.user, on: asked.device, from: positions)
        request.limit = limit ?? request.limit
        request.newest = newest
        guard let guest = asked.guest else {
            return self.chat.fetch(request) { asked.answer($0) { $0.synced($1) } }
        }
        self.chat.sync(request, guest, hasEcho: hasEcho) { asked.answer($0) { $0.synced($1) } }
    }

    private func search(_ words: String, in id: ConversationID?, limit: Int, _ asked: ChatAsker) {
        self.chat.search(SearchRequest(words, for: asked.user, in: id, limit: limit)) {
            asked.answer($0) { $0.page($1) }
        }
    }

    private func conversations(before cursor: String?, limit: Int, _ asked: ChatAsker) throws(RequestError) {
        let place = cursor.map { ConversationPlace(cursor: $0) }
        if case .some(nil) = place {
            throw RequestError(.badRequest, "field 'before' must be the 'next' of an answer")
        }
        self.chat.fetch(ListConversations(of: asked.user, before: place ?? nil, limit: limit)) {
            asked.answer($0) { $0.conversations($1) }
        }
    }
}

// MARK: - Moderating

extension ChatRequests {
    private func report(
        _ target: ReportTarget, _ reason: ReportReason, _ text: String?, _ asked: ChatAsker
    ) throws(RequestError) {
        if case .room(let room, _) = target, asked.guest?.rooms.contains(room) != true {
            throw RequestError(.notMember, "you are not in \(room.text) on this connection")
        }
        self.chat.report(SendReport(target, by: asked.user, reason, text, at: self.chat.now)) {
            asked.answer($0) { json, number in json.object { $0.field("report", number) } }
        }
    }

    private func sanctions(
        _ id: ConversationID, after cursor: String?, _ limit: Int, _ asked: ChatAsker
    ) throws(RequestError) {
        let place = cursor.map { SanctionPlace(cursor: $0) }
        if case .some(nil) = place {
            throw RequestError(.badRequest, "field 'after' must be the 'next' of an answer")
        }
        let request = ListSanctions(of: id, for: asked.user, after: place ?? nil, limit: limit, at: self.chat.now)
        self.chat.ask(request) { asked.answer($0) { $0.sanctions($1, limit: limit) } }
    }
}

// MARK: - One's own arrangements

extension ChatRequests {
    private func type(_ id: ConversationID, _ isOn: Bool, _ asked: ChatAsker) throws(RequestError) {
        guard let guest = asked.guest else { throw RequestError(.badRequest, "typing needs a connection") }
        try self.chat.typed(isOn, id, by: guest)
        asked.done(.success(()))
    }

    private func block(_ other: UserID, _ isOn: Bool, _ asked: ChatAsker) throws(RequestError) {
        guard other != asked.user else { throw RequestError(.badRequest, "users cannot block themselves") }
        self.chat.setBlocked(isOn, other, by: asked.user) { asked.done($0) }
    }
}

extension JSONWriter {
    fileprivate mutating func names(_ users: [UserID]) {
        self.object { $0.array("users", of: users) { $0.string($1.text) } }
    }
}
