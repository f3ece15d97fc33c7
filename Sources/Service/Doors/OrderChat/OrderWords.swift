internal import Bytes
internal import Conversing
internal import Hashing
internal import Vocabulary

/// The numbers of order chats: who speaks, and what kind of message it is.
enum OrderWords {
    /// Who speaks.
    static let driver = 11
    static let passenger = 12
    static let system = 13
    /// What an app would say by itself to its own user.
    static let localReply = 14
    /// The driver's phone, while the driver drives.
    static let driverReply = 15
    /// That something cannot be shown before the app is renewed.
    static let upgradeHint = 16

    /// What a message is about.
    static let orderClass = 1
    static let chatClass = 2
    static let accountClass = 3

    /// Whether it was read before.
    static let isNew = 10
    static let isRead = 20

    /// The member of a body in which the message is kept as apps know it.
    static let body = "oc"
    static let chat = "new_chat"
    /// Who speaks for the server.
    static let speaker = UserID("order:system") ?? { preconditionFailure("no user id") }()
    static let device = DeviceID("orderchat") ?? .main

    static let prefix = "order-"
    static let kind = ConversationKind.bound(to: "order")

    static func isSession(_ id: ConversationID) -> Bool {
        id.text.hasPrefix(self.prefix) && id.text.utf8.count == self.prefix.utf8.count + 32
    }

    /// The same order has the same conversation for all who ask.
    static func session(ofOrder order: String) -> ConversationID? {
        guard (1...64).contains(order.utf8.count), order.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return nil
        }
        return ConversationID(self.prefix + Hex.encode(Digest.sha256.hash(order).prefix(16)))
    }

    static func number(of role: Role) -> Int {
        switch role {
        case .owner: self.system
        case .admin: self.driver
        case .member: self.passenger
        }
    }

    private static let kinds: [Int: MessageKind] = [
        1: .text, 2: .image, 3: .voice, 4: .location, 5: .mixed, 6: .card,
    ]

    /// What is not known passes as it is, and apps ask for an upgrade.
    static func kind(ofChatType type: Int) -> MessageKind { self.kinds[type] ?? .custom }

    static func chatType(of kind: MessageKind?) -> Int { self.kinds.first { $0.value == kind }?.key ?? self.upgrade }

    /// The chat type that apps show as a word about a newer version.
    static let upgrade = 701

    static func isKnown(chatType: Int) -> Bool { self.kinds[chatType] != nil }

    /// A message as apps know it.
    static func message(
        _ type: String, class messageClass: Int, by speaker: Int, chatType: Int, content: LooseObject
    ) -> LooseObject {
        var words = LooseObject()
        words.set("type", type)
        words.set("msgClass", messageClass)
        words.set("speakType", speaker)
        words.set("chatType", chatType)
        words.set("content", content)
        return words
    }

    /// The same as everybody keeps it: the content, and beside it how apps know it. Nil when it is not what it should be.
    static func draft(_ words: LooseObject, _ kind: MessageKind) -> Draft? {
        var body = words.object("content") ?? LooseObject()
        body.set(self.body, words)
        let draft = Draft(kind, MessageBody(proven: body.json))
        return draft.body.suits(kind) && body.json.count <= ConversationSettings().maximumBodyBytes ? draft : nil
    }
}
