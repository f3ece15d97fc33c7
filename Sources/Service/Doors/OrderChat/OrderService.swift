internal import Conversing
internal import JSON
internal import Operations
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// The conversations of orders, between its driver and its passenger, with the server as a third who tells them how the
/// order goes. Lives on the loop of the conversations.
final class OrderService {
    typealias Reply = (Result<[LooseObject], RequestError>) -> Void

    private let chat: ChatService

    init(_ chat: ChatService) { self.chat = chat }

    private func refuse(_ words: String) -> RequestError { RequestError(.badRequest, words) }

    private func session(ofOrder order: String?) throws(RequestError) -> ConversationID {
        guard let id = order.flatMap({ OrderWords.session(ofOrder: $0) }) else {
            throw self.refuse("field 'orderID' must have 1 to 64 visible characters")
        }
        return id
    }
}

// MARK: - What the shop's own server does

extension OrderService {
    /// Ties a conversation to an order. Asked twice, it is the same one.
    func open(_ order: String, _ request: LooseObject, _ reply: @escaping Reply) throws(RequestError) {
        let id = try self.session(ofOrder: order)
        guard let driver = request.text("driver").flatMap({ UserID($0) }),
            let passenger = request.text("passenger").flatMap({ UserID($0) }), driver != passenger
        else { throw self.refuse("fields 'driver' and 'passenger' must be two user ids") }
        var creation = CreationRequest(
            id, OrderWords.kind, by: OrderWords.speaker, with: [driver, passenger], at: self.chat.now)
        creation.subject = order
        self.chat.create(creation, isByServer: true) { result in
            if case .failure(let error) = result, error.code != .conflict { return reply(.failure(error)) }
            self.confirm(id, reply) { self.lead(driver, id) { reply(.success([Self.session(id, order)])) } }
        }
    }

    /// What is there already has to be an order of ours.
    private func confirm(_ id: ConversationID, _ reply: @escaping Reply, _ work: @escaping () -> Void) {
        self.chat.ask(ViewConversation(id, for: OrderWords.speaker)) { result in
            guard case .success(let view) = result, view.kind == OrderWords.kind else {
                return reply(.failure(RequestError(.conflict, "another conversation has this id")))
            }
            work()
        }
    }

    private func lead(_ driver: UserID, _ id: ConversationID, _ done: @escaping () -> Void) {
        let change = ChangeRequest(.id(id), .setRole(driver, .admin), by: OrderWords.speaker, at: self.chat.now)
        // It may be so already, and the driver before stays the driver.
        self.chat.change(change, isByServer: true) { _ in done() }
    }

    private static func session(_ id: ConversationID, _ order: String, role: Role? = nil) -> LooseObject {
        var session = LooseObject()
        session.set("sessionID", id.text)
        session.set("orderID", order)
        if let role { session.set("speakType", OrderWords.number(of: role)) }
        return session
    }

    /// How the order goes, or a word of the system: `type`, `content`, and the class it belongs to.
    func tell(_ order: String, _ request: LooseObject, _ reply: @escaping Reply) throws(RequestError) {
        let id = try self.session(ofOrder: order)
        guard let type = request.text("type"), (1...64).contains(type.utf8.count) else {
            throw self.refuse("field 'type' must be a text of 1 to 64 bytes")
        }
        let isChat = type == OrderWords.chat
        let number = request.integer("class") ?? (isChat ? OrderWords.chatClass : OrderWords.orderClass)
        guard (OrderWords.orderClass...OrderWords.accountClass).contains(number) else {
            throw self.refuse("field 'class' must be 1, 2 or 3")
        }
        let words = OrderWords.message(
            type, class: number, by: OrderWords.system, chatType: request.integer("chatType") ?? 1,
            content: request.object("content") ?? LooseObject())
        let kind: MessageKind = isChat ? OrderWords.kind(ofChatType: request.integer("chatType") ?? 1) : .notice
        try self.post(words, kind, into: id, by: OrderWords.speaker, as: request.text("messageID"), reply)
    }
}

// MARK: - What the apps do

extension OrderService {
    func session(_ request: LooseObject, _ user: UserID, _ reply: @escaping Reply) throws(RequestError) {
        let id = try self.session(ofOrder: request.text("orderID"))
        self.chat.ask(ViewConversation(id, for: user)) { result in
            reply(result.map { [Self.session(id, $0.subject ?? "", role: $0.role)] })
        }
    }

    func say(_ request: LooseObject, _ user: UserID, _ reply: @escaping Reply) throws(RequestError) {
        let named = request.text("sessionID").flatMap { ConversationID($0) }
        let id = if let named { named } else { try self.session(ofOrder: request.text("orderID")) }
        guard let content = request.object("content"), let type = request.integer("chatType") else {
            throw self.refuse("field 'content' must be an object and 'chatType' a number")
        }
        self.chat.ask(ViewConversation(id, for: user)) { result in
            do throws(RequestError) {
                let view = try result.get()
                guard view.kind == OrderWords.kind else {
                    throw RequestError(.notFound, "not found: no conversation of an order has this id")
                }
                let speaker = try self.speaker(request.integer("speakType"), view.role)
                let words = OrderWords.message(
                    OrderWords.chat, class: OrderWords.chatClass, by: speaker, chatType: type, content: content)
                let kind = OrderWords.kind(ofChatType: type)
                try self.post(words, kind, into: id, by: user, as: request.text("messageID"), reply)
            } catch {
                reply(.failure(error))
            }
        }
    }

    /// A client speaks for its user alone; the driver's phone may answer for the driver.
    private func speaker(_ asked: Int?, _ role: Role) throws(RequestError) -> Int {
        let own = OrderWords.number(of: role)
        guard let asked, asked != own else { return own }
        guard asked == OrderWords.driverReply, own == OrderWords.driver else {
            throw RequestError(.forbidden, "field 'speakType' must be the caller's own role")
        }
        return asked
    }

    private func post(
        _ words: LooseObject, _ kind: MessageKind, into id: ConversationID, by user: UserID, as name: String?,
        _ reply: @escaping Reply
    ) throws(RequestError) {
        guard let draft = OrderWords.draft(words, kind) else {
            throw self.refuse("field 'content' must suit its 'chatType' and fit into 64 KiB")
        }
        let client = name.flatMap { MessageID($0) }
        let change = ChangeRequest(.id(id), .post(draft), by: user, as: client, at: self.chat.now)
        self.chat.change(change, isByServer: user == OrderWords.speaker) { result in
            reply(
                result.map { outcome in
                    var answer = LooseObject()
                    answer.set("messageID", client?.text ?? outcome.key.name(of: outcome.entry.number))
                    answer.set("number", outcome.entry.number)
                    answer.set("sendTime", outcome.entry.time.milliseconds)
                    return [answer]
                })
        }
    }

    func read(_ request: LooseObject, _ user: UserID, _ reply: @escaping Reply) throws(RequestError) {
        guard let id = request.text("sessionID").flatMap({ ConversationID($0) }),
            let number = request.integer("number"), number >= 0
        else { throw self.refuse("field 'sessionID' must be a conversation id and 'number' a whole number from 0 on") }
        let mark = MarkRequest(
            id, of: user, on: OrderWords.device, delivered: UInt64(number), read: UInt64(number), at: self.chat.now)
        self.chat.mark(mark) { reply($0.map { _ in [] }) }
    }
}

// MARK: - Asking every twenty seconds

extension OrderService {
    /// What is new in the orders in which the user has this role, behind the numbers the app has got to.
    func poll(_ request: LooseObject, _ user: UserID, _ reply: @escaping Reply) throws(RequestError) {
        let role = request.integer("role")
        var sync = SyncRequest(user, on: OrderWords.device)
        sync.kind = OrderWords.kind
        sync.positions = try Field.positions.or([:]).read(JSONObject(body: request.json.span))
        self.chat.fetch(sync) { result in
            guard case .success(let synced) = result else { return reply(result.map { _ in [] }) }
            let unknown = synced.ids.filter { OrderWords.isSession($0) && sync.positions[$0] == nil }
            guard !unknown.isEmpty else { return reply(.success(Self.items(synced, as: role, for: user))) }
            // An app that has nothing of an order wants all of it.
            for id in unknown { sync.positions[id] = 0 }
            self.chat.fetch(sync) { reply($0.map { Self.items($0, as: role, for: user) }) }
        }
    }

    private static func items(_ synced: Synced, as role: Int?, for user: UserID) -> [LooseObject] {
        let pieces = synced.pieces.filter { piece in
            piece.view.kind == OrderWords.kind && (role == nil || role == OrderWords.number(of: piece.view.role))
        }
        return pieces.flatMap { piece in piece.entries.compactMap { self.item($0, in: piece.view, for: user) } }
    }

    private static func item(_ entry: Entry, in view: ConversationView, for user: UserID) -> LooseObject? {
        guard entry.sort == .message, !entry.isRecalled, let body = entry.body.flatMap({ LooseObject($0) }) else {
            return nil
        }
        let words = self.words(of: entry, body, in: view, for: user)
        var content = words.object("content") ?? LooseObject()
        content.set(words.text("type") == OrderWords.chat ? "topic" : "order_id", view.subject ?? "")
        var item = words
        item.set("content", content)
        item.set("id", view.key.name(of: entry.number))
        item.set("messageID", entry.client?.text ?? view.key.name(of: entry.number))
        item.set("sessionID", view.id.text)
        item.set("number", entry.number)
        item.set("sendTime", entry.time.milliseconds)
        let isRead = entry.number <= view.read || entry.sender == user
        item.set("kChatRepeatState", isRead ? OrderWords.isRead : OrderWords.isNew)
        return item
    }

    /// The message as apps know it; one of our own clients' is put into their words. Who speaks is known by the sender,
    /// whatever the message says of it.
    private static func words(
        of entry: Entry, _ body: LooseObject, in view: ConversationView, for user: UserID
    ) -> LooseObject {
        let kept = body.object(OrderWords.body)
        if entry.sender == OrderWords.speaker, let kept { return kept }
        let speaker = self.speaker(of: entry, in: view, for: user)
        guard var words = kept, words.text("type") == OrderWords.chat else {
            let type = OrderWords.chatType(of: entry.kind)
            return OrderWords.message(
                OrderWords.chat, class: OrderWords.chatClass, by: speaker, chatType: type, content: body)
        }
        words.set("msgClass", OrderWords.chatClass)
        let isForDriver = speaker == OrderWords.driver && words.integer("speakType") == OrderWords.driverReply
        if !isForDriver { words.set("speakType", speaker) }
        return words
    }

    private static func speaker(of entry: Entry, in view: ConversationView, for user: UserID) -> Int {
        let own = OrderWords.number(of: view.role)
        if entry.sender == OrderWords.speaker { return OrderWords.system }
        if entry.sender == user { return own }
        return own == OrderWords.driver ? OrderWords.passenger : OrderWords.driver
    }
}
