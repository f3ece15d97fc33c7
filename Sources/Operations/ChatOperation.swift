package import Conversing
package import Vocabulary

/// What members ask of conversations.
package enum ChatOperation: String, OperationFamily {
    // Changes: each becomes an entry.
    case send = "chat.send"
    case edit = "chat.edit"
    case recall = "chat.recall"
    case react = "chat.react"
    case pin = "chat.pin"
    case create = "chat.create"
    case invite = "chat.invite"
    case join = "chat.join"
    case leave = "chat.leave"
    case remove = "chat.remove"
    case rename = "chat.rename"
    case role = "chat.role"
    case silence = "chat.silence"
    case dissolve = "chat.dissolve"
    // Who was sent away, or may only listen.
    case sanctions = "chat.sanctions"
    case readmit = "chat.readmit"
    case report = "chat.report"
    // What was said, and where.
    case sync = "chat.sync"
    case history = "chat.history"
    case pins = "chat.pins"
    case search = "chat.search"
    case conversations = "chat.conversations"
    case conversation = "chat.conversation"
    case members = "chat.members"
    // How far one is, and what one wants of it.
    case delivered = "chat.delivered"
    case read = "chat.read"
    case marks = "chat.marks"
    case typing = "chat.typing"
    case clear = "chat.clear"
    case mute = "chat.mute"
    case archive = "chat.archive"
    case retention = "chat.retention"
    case slow = "chat.slow"
    case block = "chat.block"
    case blocked = "chat.blocked"

    package var specification: Specification<ChatRequest> {
        switch self {
        case .send: .send
        case .edit: .edit
        case .recall: .recall
        case .react: .react
        case .pin: .pin
        case .create: .create
        case .invite: .invite
        case .join: .join
        case .leave: .leave
        case .remove: .remove
        case .rename: .rename
        case .role: .role
        case .silence: .silence
        case .dissolve: .dissolve
        case .sanctions: .sanctions
        case .readmit: .readmit
        case .report: .report
        case .sync: .sync
        case .history: .history
        case .pins: .pins
        case .search: .search
        case .conversations: .conversations
        case .conversation: .conversation
        case .members: .members
        case .delivered: .delivered
        case .read: .read
        case .marks: .marks
        case .typing: .typing
        case .clear: .clear
        case .mute: .mute
        case .archive: .archive
        case .retention: .retention
        case .slow: .slow
        case .block: .block
        case .blocked: .blocked
        }
    }
}

/// A request about conversations, with everything in it checked.
package enum ChatRequest: Sendable {
    case send(Recipient, Posting, reply: UInt64?, mentions: [UserID], as: MessageID?)
    case change(ConversationID, ConversationChange, as: MessageID?)
    case create(ConversationKind, title: DisplayName?, with: [UserID], named: ConversationID?, as: MessageID?)
    case sanctions(ConversationID, after: String?, limit: Int)
    case readmit(ConversationID, UserID)
    case report(ReportTarget, ReportReason, text: String?)
    case sync([ConversationID: UInt64], newest: Int?, limit: Int?, hasEcho: Bool)
    case history(ConversationID, EntryRange, limit: Int)
    case search(String, in: ConversationID?, limit: Int)
    case conversations(before: String?, limit: Int)
    case conversation(ConversationID)
    case members(ConversationID, after: UserID?, limit: Int)
    case delivered(ConversationID, UInt64)
    case read(ConversationID, UInt64)
    case marks(ConversationID)
    case typing(ConversationID, isOn: Bool)
    case clear(ConversationID)
    case mute(ConversationID, isOn: Bool)
    case archive(ConversationID, isOn: Bool)
    case retention(ConversationID, Duration?)
    case slow(ConversationID, Duration?)
    case block(UserID, isOn: Bool)
    case blocked
}

// MARK: - Changes

extension Specification<ChatRequest> {
    private static let place = "conversations/:conversation"
    private static let message = "\(place)/messages/:number"
    private static let member = "\(place)/members/:user"

    /// Everything that becomes an entry names its conversation, and may have a name of its sender's.
    ///
    /// - Parameter make: takes the values of the fields between the two.
    private static func change<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> ConversationChange, _ fields: repeat Field<each Value>,
        at routes: [Route], refusals more: Set<RequestError.Code> = []
    ) -> Specification {
        Specification(
            around: Specification<ConversationChange>(make, repeat each fields), .conversation, .optional(.client),
            routes: routes, answer: .outcome, refusals: more.union([.notFound, .notMember, .forbidden, .conflict])
        ) { .change($0, $1, as: $2) }
    }

    fileprivate static let send = Specification(
        ChatRequest.send, .recipient, .posting, .optional(.reply), .mentions.or([]), .optional(.client),
        routes: [.post("\(place)/messages").creating, .post("users/:user/messages").creating], answer: .outcome,
        refusals: [.notFound, .notMember, .forbidden, .blocked, .silenced, .slowMode, .conflict])
    fileprivate static let edit = Self.change(
        ConversationChange.edit, .number, .body, at: [.put(message)], refusals: [.blocked, .silenced, .tooLate])
    fileprivate static let recall = Self.change(
        ConversationChange.recall, .number, at: [.delete(message)], refusals: [.tooLate])
    fileprivate static let react = Self.change(
        { .react($0, $1, isOn: $2) }, .number, .reaction, .isOn,
        at: [.put("\(message)/reactions/:reaction"), .delete("\(message)/reactions/:reaction").off],
        refusals: [.blocked, .silenced])

    fileprivate static let pin = Self.change(
        { .pin($0, isOn: $1) }, .number, .isOn,
        at: [.put("\(place)/pins/:number"), .delete("\(place)/pins/:number").off])

    fileprivate static let create = Specification(
        ChatRequest.create, .kind.or(.group), .optional(.title), .users.or([]), .optional(.conversation),
        .optional(.client), routes: [.post("conversations").creating], answer: .outcome,
        refusals: [.conflict, .roomFull, .blocked])
    fileprivate static let invite = Self.change(
        ConversationChange.invite, .users, at: [.post("\(place)/members")], refusals: [.blocked, .roomFull])
    fileprivate static let join = Self.change(
        { .join }, at: [.post("\(place)/join")], refusals: [.roomFull])
    fileprivate static let leave = Self.change({ .leave }, at: [.post("\(place)/leave")])
    fileprivate static let remove = Self.change(
        { .remove($0, until: $1, reason: $2) }, .user, .optional(.until), .optional(.reason), at: [.delete(member)])
    fileprivate static let rename = Self.change(ConversationChange.rename, .title, at: [.patch(place)])
    fileprivate static let role = Self.change(ConversationChange.setRole, .user, .role, at: [.put(member)])
    fileprivate static let silence = Self.change(
        { .silence($0, until: $1, reason: $2) }, .user, .optional(.until), .optional(.reason),
        at: [.put("\(member)/silence"), .delete("\(member)/silence")])
    fileprivate static let dissolve = Self.change({ .dissolve }, at: [.delete(place)])
    fileprivate static let sanctions = Specification(
        ChatRequest.sanctions, .conversation, .optional(.afterPlace), .limit.or(50),
        routes: [.get("\(place)/sanctions")], answer: .sanctions, refusals: [.notMember, .forbidden])
    fileprivate static let readmit = Specification(
        ChatRequest.readmit, .conversation, .user, routes: [.delete("\(place)/sanctions/:user")],
        refusals: [.notMember, .forbidden, .conflict])
    fileprivate static let report = Specification(
        ChatRequest.report, .reported, .reason, .optional(.explanation), routes: [.post("reports").creating],
        answer: .report, refusals: [.notFound, .notMember, .conflict])
}

// MARK: - Reading

extension Specification<ChatRequest> {
    fileprivate static let sync = Specification(
        ChatRequest.sync, .positions.or([:]), .optional(.newest), .optional(.syncLimit), .hasEcho,
        routes: [.post("sync")], answer: .synced)
    // Also with `wait`, and as a stream.
    fileprivate static let history = Specification(
        { .history($0, EntryRange(before: $1, after: $2), limit: $3) }, .conversation, .optional(.before),
        .optional(.after), .limit.or(20),
        routes: [.get("\(place)/entries")], answer: .entries, refusals: [.notFound, .notMember])
    fileprivate static let pins = Specification(
        { ChatRequest.history($0, .pinned, limit: $1) }, .conversation, .limit.or(RequestLimits.maximumPage),
        routes: [.get("\(place)/pins")], answer: .entries, refusals: [.notFound, .notMember])
    fileprivate static let search = Specification(
        ChatRequest.search, .words, .optional(.conversation), .limit.or(20), routes: [.get("search")], answer: .entries,
        refusals: [.notFound, .notMember])
    fileprivate static let conversations = Specification(
        ChatRequest.conversations, .optional(.place), .limit.or(50), routes: [.get("conversations")],
        answer: .conversations)
    fileprivate static let conversation = Specification(
        ChatRequest.conversation, .conversation, routes: [.get(place)], answer: .conversation,
        refusals: [.notFound, .notMember])
    fileprivate static let members = Specification(
        ChatRequest.members, .conversation, .optional(.afterUser), .limit.or(50), routes: [.get("\(place)/members")],
        answer: .members, refusals: [.notFound, .notMember])
}

// MARK: - One's own place in it

extension Specification<ChatRequest> {
    fileprivate static let delivered = Specification(
        ChatRequest.delivered, .conversation, .number, routes: [.put("\(place)/delivered")], answer: .marked,
        refusals: [.notFound, .notMember])
    fileprivate static let read = Specification(
        ChatRequest.read, .conversation, .number, routes: [.put("\(place)/read")], answer: .marked,
        refusals: [.notFound, .notMember])
    fileprivate static let marks = Specification(
        ChatRequest.marks, .conversation, routes: [.get("\(place)/marks")], answer: .marks,
        refusals: [.notFound, .notMember])
    fileprivate static let typing = Specification(
        ChatRequest.typing, .conversation, .isOn, refusals: [.notMember])
    fileprivate static let clear = Specification(
        ChatRequest.clear, .conversation, routes: [.delete("\(place)/entries")], refusals: [.notFound, .notMember])
    fileprivate static let mute = Specification(
        ChatRequest.mute, .conversation, .isOn, routes: [.put("\(place)/muted"), .delete("\(place)/muted").off],
        refusals: [.notFound, .notMember])
    fileprivate static let archive = Specification(
        ChatRequest.archive, .conversation, .isOn,
        routes: [.put("\(place)/archived"), .delete("\(place)/archived").off],
        refusals: [.notFound, .notMember])
    fileprivate static let retention = Specification(
        ChatRequest.retention, .conversation, .retention,
        routes: [.put("\(place)/retention"), .delete("\(place)/retention").off],
        refusals: [.notFound, .notMember, .forbidden])
    fileprivate static let slow = Specification(
        ChatRequest.slow, .conversation, .slowMode, routes: [.put("\(place)/slow"), .delete("\(place)/slow").off],
        refusals: [.notFound, .notMember, .forbidden])
    fileprivate static let block = Specification(
        ChatRequest.block, .user, .isOn, routes: [.put("blocks/:user"), .delete("blocks/:user").off],
        refusals: [.conflict])
    fileprivate static let blocked = Specification(
        { ChatRequest.blocked }, routes: [.get("blocks")], answer: .blocked)
}
