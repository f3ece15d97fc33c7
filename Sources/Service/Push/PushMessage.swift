internal import Bytes
internal import Calling
internal import Conversing
internal import Hashing
internal import JSON
internal import Keeping
internal import Secure
internal import Vocabulary

/// What a device is told when it is woken: a JSON object that its program shows in the words of its user.
struct PushMessage: Hashable, Sendable {
    /// By which its way can be followed.
    let id: RandomToken
    let subject: PushEvent.Subject
    let json: [UInt8]
    /// What to say where the whole is too long, or the service does not take it.
    let idsAlone: [UInt8]
    /// Later ones about the same take its place, at the push service as here.
    let topic: String
    /// As long as it is worth being delivered.
    private(set) var life = PushSettings.life
    /// Whether it goes before others to the same device.
    private(set) var isUrgent = false
    /// Push services keep it for nobody who is not there.
    private(set) var isInstant = false

    private static let maximumLetters = 200
    private static let topicLength = 32

    /// - Parameters:
    ///   - id: the same for all who get this message.
    ///   - badge: what waits for this user in all conversations.
    ///   - isSilent: it is the device's quiet time.
    init(
        _ push: PendingPush, id: RandomToken, badge: UInt64, _ content: PushSettings.Content, isSilent: Bool = false
    ) {
        self.id = id
        self.subject = push.subject
        self.topic = Self.topic(of: push.conversation)
        self.idsAlone = JSONWriter.object { $0.ids(push, id, badge) }
        self.json = JSONWriter.object { json in
            json.ids(push, id, badge)
            if isSilent { json.field("silent", true) }
            guard content != .none else { return }
            if let name = push.senderName { json.field("name", name.text) }
            if let title = push.title { json.field("title", title.text) }
            guard content == .full else { return }
            json.field("messageKind", push.entry.kind?.text ?? "")
            let words = push.entry.body.map { MessageBody(proven: $0).words } ?? ""
            if !words.isEmpty { json.field("text", String(words.prefix(Self.maximumLetters))) }
        }
    }

    /// A conversation was read elsewhere, up to a message.
    static func read(_ id: ConversationID, through number: UInt64, badge: UInt64, at now: WallTime) -> PushMessage {
        let subject = PushEvent.Subject(.read, in: id.text, entry: number)
        return PushMessage(subject, topic: Self.topic(of: id), at: now) { json in
            json.field("conversation", id.text)
            json.field("number", number)
            json.field("badge", badge)
        }
    }

    /// Of all pushes about a conversation.
    static func topic(of id: ConversationID) -> String { Self.topic(id.text) }

    /// Somebody rings, for this long.
    init(
        _ call: CallInvitation, callerName: DisplayName, at now: WallTime, for ringTime: Duration,
        _ content: PushSettings.Content
    ) {
        self.init(PushEvent.Subject(.call, in: call.id.text), topic: Self.topic(call.id), at: now) { json in
            json.field("call", call.id.text)
            json.field("kind", call.kind.rawValue)
            json.field("sender", call.caller.user.text)
            if content != .none { json.field("name", callerName.text) }
        }
        self.life = ringTime
        self.isUrgent = true
    }

    /// A call rings no more, on no device.
    static func over(_ call: CallID, at now: WallTime) -> PushMessage {
        PushMessage(PushEvent.Subject(.callOver, in: call.text), topic: Self.topic(call), at: now) { json in
            json.field("call", call.text)
        }
    }

    private static func topic(_ call: CallID) -> String { Self.topic("call \(call.text)") }

    /// That pushes arrive.
    static func test(at now: WallTime) -> PushMessage {
        PushMessage(PushEvent.Subject(.test), topic: "test", at: now) { _ in }
    }

    /// What a program on another server says.
    /// - Parameters:
    ///   - isInstant: it is for those who are there now.
    ///   - short: what to say where the whole is too long.
    init(
        _ announcement: Announcement, isInstant: Bool, isSilent: Bool, at now: WallTime,
        short: (inout JSONWriter) -> Void, _ members: (inout JSONWriter) -> Void
    ) {
        func json(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
            JSONWriter.object { json in
                json.ids(announcement)
                if isSilent { json.field("silent", true) }
                members(&json)
            }
        }
        self.id = announcement.push
        self.subject = PushEvent.Subject(.announcement, in: "\(announcement.number)")
        self.topic = Self.topic(announcement: announcement.topic)
        let whole = json(members)
        self.idsAlone = json(short)
        self.json = whole.count <= Self.maximumBytes ? whole : self.idsAlone
        self.life = max(.zero, .milliseconds(announcement.expiry.milliseconds - now.milliseconds))
        self.isInstant = isInstant
    }

    /// One for an app that was made for another server, in words that are short enough for every service.
    init(_ announcement: Announcement, isInstant: Bool, at now: WallTime, inWords json: [UInt8]) {
        self.id = announcement.push
        self.subject = PushEvent.Subject(.announcement, in: "\(announcement.number)")
        self.topic = Self.topic(announcement: announcement.topic)
        (self.json, self.idsAlone) = (json, json)
        self.life = max(.zero, .milliseconds(announcement.expiry.milliseconds - now.milliseconds))
        self.isInstant = isInstant
    }

    /// An announcement was taken back.
    static func over(_ announcement: Announcement, at now: WallTime) -> PushMessage {
        let topic = Self.topic(announcement: announcement.topic)
        let subject = PushEvent.Subject(.announcementOver, in: "\(announcement.number)")
        return PushMessage(subject, topic: topic, at: now) { json in
            json.field("announcement", "\(announcement.number)")
            json.field("topic", topic)
        }
    }

    /// What a sealed push can hold.
    private static let maximumBytes = PushCipher.maximumPlainBytes

    /// Of announcements that replace each other.
    static func topic(announcement topic: String) -> String { Self.topic("announcement \(topic)") }

    /// One that is short enough for every service.
    private init(
        _ subject: PushEvent.Subject, topic: String, at now: WallTime, _ members: (inout JSONWriter) -> Void
    ) {
        let id = RandomToken.fresh()
        self.id = id
        self.subject = subject
        self.topic = topic
        self.json = JSONWriter.object { json in
            json.field("type", subject.kind.rawValue)
            json.field("push", id.text)
            json.field("time", now.milliseconds)
            members(&json)
        }
        self.idsAlone = self.json
    }

    /// At most 32 letters of Base64 (RFC 8030 §5.4), which tell the push service nothing.
    private static func topic(_ name: String) -> String {
        let hash = Digest.sha256.hash(Array(name.utf8))
        return String(Base64.encode(hash, as: .url).prefix(Self.topicLength))
    }
}

extension RandomToken {
    static func fresh() -> RandomToken {
        var random = SystemRandomNumberGenerator()
        return RandomToken(using: &random)
    }
}

extension PendingPush {
    var subject: PushEvent.Subject {
        PushEvent.Subject(.message, in: self.conversation.text, entry: self.entry.number)
    }
}

extension JSONWriter {
    fileprivate mutating func ids(_ push: PendingPush, _ id: RandomToken, _ badge: UInt64) {
        self.field("type", "message")
        self.field("push", id.text)
        self.field("conversation", push.conversation.text)
        self.field("kind", push.kind.rawValue)
        self.field("number", push.entry.number)
        self.field("sender", push.entry.sender.text)
        self.field("time", push.entry.time.milliseconds)
        self.field("badge", badge)
    }

    fileprivate mutating func ids(_ announcement: Announcement) {
        self.field("type", "announcement")
        self.field("push", announcement.push.text)
        self.field("announcement", "\(announcement.number)")
        self.field("topic", PushMessage.topic(announcement: announcement.topic))
        self.field("time", announcement.created.milliseconds)
    }
}
