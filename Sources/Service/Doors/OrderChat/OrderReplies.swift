internal import Conversing
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// Says automatically what was arranged for the chats of orders. It hears of every entry once, when it is on the disk, and
/// what it says has a name that is made of what led to it, so it is there once. Lives on the loop of the conversations.
final class OrderReplies {
    private let replies: [OrderReply]
    private let chat: ChatService
    /// Where the first word was said already, as far as it is remembered; the store knows it in any case.
    private var begun: Set<ConversationID> = []

    private static let maximumRemembered = 10_000
    private static let names = "auto-"

    init(_ replies: [OrderReply], _ chat: ChatService) {
        self.replies = replies
        self.chat = chat
    }

    func heard(_ outcome: ChangeOutcome) {
        let entry = outcome.entry
        guard !self.replies.isEmpty, OrderWords.isSession(outcome.conversation), entry.sort == .message,
            entry.client?.text.hasPrefix(Self.names) != true
        else { return }
        let words = entry.body.flatMap { LooseObject($0) }?.object(OrderWords.body)
        let due = self.replies.filter { self.isDue($0, after: entry, words: words, in: outcome.conversation) }
        guard !due.isEmpty else { return }
        let request = MemberRequest(outcome.conversation, for: OrderWords.speaker, limit: 10)
        self.chat.ask(request) { [unowned self] result in
            guard case .success(let members) = result else { return }
            for reply in due { self.say(reply, after: outcome, to: members) }
        }
    }

    private func isDue(
        _ reply: OrderReply, after entry: Entry, words: LooseObject?, in order: ConversationID
    ) -> Bool {
        let isSystem = entry.sender == OrderWords.speaker
        switch reply.trigger {
        case .event(let type): return isSystem && words?.text("type") == type
        case .firstWord: return !isSystem && !self.begun.contains(order)
        case .unknownKind:
            let type = words?.integer("chatType") ?? OrderWords.chatType(of: entry.kind)
            return !isSystem && !OrderWords.isKnown(chatType: type)
        }
    }

    private func say(_ reply: OrderReply, after outcome: ChangeOutcome, to members: [MemberView]) {
        let driver = members.first { $0.role == .admin }?.user
        let (key, number) = (outcome.key.number, outcome.entry.number)
        var name = "\(Self.names)\(reply.voice.speakType)-\(key)-\(number)"
        if reply.trigger == .firstWord {
            // A driver begins no order.
            guard outcome.entry.sender != driver else { return }
            if self.begun.count >= Self.maximumRemembered { self.begun = [] }
            self.begun.insert(outcome.conversation)
            name = "\(Self.names)\(reply.voice.speakType)-\(key)-first"
        }
        let speaker = reply.voice == .driver ? driver : OrderWords.speaker
        guard let speaker, let draft = reply.draft, let id = MessageID(name) else { return }
        self.chat.note(
            ChangeRequest(.id(outcome.conversation), .post(draft), by: speaker, as: id, at: self.chat.now))
    }
}

extension OrderReply {
    fileprivate var draft: Draft? {
        var content = LooseObject()
        content.set("text", self.text)
        let type = self.voice == .upgrade ? OrderWords.upgrade : 1
        let words = OrderWords.message(
            OrderWords.chat, class: OrderWords.chatClass, by: self.voice.speakType, chatType: type, content: content)
        return OrderWords.draft(words, OrderWords.kind(ofChatType: type))
    }
}

extension OrderReply.Voice {
    fileprivate var speakType: Int {
        switch self {
        case .local: OrderWords.localReply
        case .driver: OrderWords.driverReply
        case .system: OrderWords.system
        case .upgrade: OrderWords.upgradeHint
        }
    }
}
