internal import Operations
package import Vocabulary

/// Something that happened in a conversation, and its place there.
package struct ChatEntry: Hashable, Sendable {
    package let conversation: ConversationID
    /// Gap-free, and the same for all members.
    package let number: UInt64
    package let id: String
    /// `message`, `edited`, `recalled`, …
    package let type: String
    package let from: UserID
    package let time: WallTime
    /// All of it, with what this client does not know.
    package let json: RawJSON

    package init?(_ json: RawJSON) {
        guard let conversation = json.name("conversation", { ConversationID($0) }), let number = json.number,
            let id = json.text("id"), let type = json.text("type"), let from = json.name("from", { UserID($0) }),
            let time = json.integer("time")
        else { return nil }
        self.conversation = conversation
        self.number = number
        self.id = id
        self.type = type
        self.from = from
        self.time = WallTime(milliseconds: Int64(time))
        self.json = json
    }

    /// The sender's own name for it.
    package var client: MessageID? { self.json.name("client") { MessageID($0) } }
    package var kind: String? { self.json.text("kind") }
    package var body: RawJSON? { self.json.member("body") }
    package var target: UInt64? {
        (self.json.integer("target") ?? self.json.integer("reply")).flatMap { UInt64(exactly: $0) }
    }
    package var isRecalled: Bool { self.json.bool("recalled") ?? false }
}

/// A member received or read so far.
package struct ChatReceipt: Hashable, Sendable {
    package let conversation: ConversationID
    package let user: UserID
    package let delivered: UInt64
    package let read: UInt64
    /// Of oneself only: what waits in this conversation now, and in all of them.
    package let unread: Int?
    package let badge: Int?

    package init?(_ json: RawJSON) {
        guard let conversation = json.name("conversation", { ConversationID($0) }),
            let user = json.name("user", { UserID($0) }), let delivered = json.integer("delivered"),
            let read = json.integer("read")
        else { return nil }
        self.conversation = conversation
        self.user = user
        self.delivered = UInt64(clamping: delivered)
        self.read = UInt64(clamping: read)
        self.unread = json.integer("unread")
        self.badge = json.integer("badge")
    }
}

/// A member types, or no longer does.
package struct ChatTyping: Hashable, Sendable {
    package let conversation: ConversationID
    package let user: UserID
    package let isOn: Bool

    init?(_ json: RawJSON) {
        guard let conversation = json.name("conversation", { ConversationID($0) }),
            let user = json.name("user", { UserID($0) }), let isOn = json.bool("on")
        else { return nil }
        self.conversation = conversation
        self.user = user
        self.isOn = isOn
    }
}

/// What a user wants of a conversation: without a sound, out of the way. What is nil stays as it is.
package struct ChatArrangement: Hashable, Sendable {
    package let conversation: ConversationID
    package let isMuted: Bool?
    package let isArchived: Bool?

    init?(_ json: RawJSON) {
        guard let conversation = json.name("conversation", { ConversationID($0) }) else { return nil }
        self.conversation = conversation
        self.isMuted = json.bool("muted")
        self.isArchived = json.bool("archived")
    }
}

/// What was set for all members of a conversation. What is nil stays as it is; 0 ends it.
package struct ChatSettings: Hashable, Sendable {
    package let conversation: ConversationID
    /// How long members wait between two messages.
    package let slowSeconds: Int?
    package let retentionDays: Int?

    init?(_ json: RawJSON) {
        guard let conversation = json.name("conversation", { ConversationID($0) }) else { return nil }
        self.conversation = conversation
        self.slowSeconds = json.integer("slowSeconds")
        self.retentionDays = json.integer("retentionDays")
    }
}

/// Where a message goes.
package enum ChatTarget: Hashable, Sendable {
    case conversation(ConversationID)
    case user(UserID)

    /// `@user`, or a conversation's id.
    package init?(_ text: String) {
        if text.hasPrefix("@") {
            guard let user = UserID(String(text.dropFirst())) else { return nil }
            self = .user(user)
        } else {
            guard let id = ConversationID(text) else { return nil }
            self = .conversation(id)
        }
    }

    var recipient: Recipient {
        switch self {
        case .conversation(let id): .conversation(id)
        case .user(let user): .user(user)
        }
    }
}

/// What became of a message.
package struct ChatOutcome: Hashable, Sendable {
    package let conversation: ConversationID
    package let number: UInt64
    package let id: String
    package let time: WallTime

    package init(_ json: RawJSON) throws(ClientError) {
        guard let conversation = json.name("conversation", { ConversationID($0) }), let number = json.number,
            let id = json.text("id"), let time = json.integer("time")
        else { throw .unreadableAnswer }
        self.conversation = conversation
        self.number = number
        self.id = id
        self.time = WallTime(milliseconds: Int64(time))
    }
}

extension ChatOutcome {
    static func read(_ json: RawJSON) -> Result<ChatOutcome, ClientError> {
        Result { () throws(ClientError) in try ChatOutcome(json) }
    }
}

/// A piece of history.
package struct ChatPage: Hashable, Sendable {
    package let entries: [ChatEntry]
    package let hasMore: Bool

    init(_ json: RawJSON) throws(ClientError) {
        guard let list = json.list("entries") else { throw .unreadableAnswer }
        self.entries = list.compactMap { ChatEntry($0) }
        self.hasMore = json.bool("more") ?? false
        guard self.entries.count == list.count else { throw .unreadableAnswer }
    }
}

/// A conversation as its member sees it.
package struct ChatView: Hashable, Sendable {
    package let id: ConversationID
    package let kind: String
    package let title: String?
    /// The other one of a direct conversation.
    package let peer: UserID?
    package let peerName: String?
    package let last: UInt64
    package let read: UInt64
    package let unread: Int
    /// How long what is said stays; nil when its members did not say.
    package let retentionDays: Int?
    package let latest: ChatEntry?
    package let json: RawJSON

    package init?(_ json: RawJSON) {
        guard let id = json.name("conversation", { ConversationID($0) }), let kind = json.text("kind"),
            let last = json.integer("last"), let unread = json.integer("unread")
        else { return nil }
        self.id = id
        self.kind = kind
        self.title = json.text("title")
        self.peer = json.member("peer")?.name("user") { UserID($0) }
        self.peerName = json.member("peer")?.text("name")
        self.last = UInt64(clamping: last)
        self.read = UInt64(clamping: json.integer("read") ?? 0)
        self.unread = unread
        self.retentionDays = json.integer("retentionDays")
        self.latest = json.member("latest").flatMap { ChatEntry($0) }
        self.json = json
    }
}

/// Something that was said and is kept nowhere.
package struct ChatPassing: Hashable, Sendable {
    /// Nil where the two have no conversation yet.
    package let conversation: ConversationID?
    package let from: UserID
    package let kind: String
    package let body: RawJSON

    init?(_ json: RawJSON) {
        guard let from = json.name("from", { UserID($0) }), let kind = json.text("kind"),
            let body = json.member("body")
        else { return nil }
        self.conversation = json.name("conversation") { ConversationID($0) }
        self.from = from
        self.kind = kind
        self.body = body
    }
}
