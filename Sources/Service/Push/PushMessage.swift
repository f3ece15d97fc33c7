internal import Bytes
internal import Calling
internal import Conversing
internal import Hashing
internal import JSON
internal import Keeping
internal import Secure
internal import Vocabulary

/// What a device is told when it is woken: a JSON object that its program shows, with words in the language of its user where
/// there are none of the sender's.
struct PushMessage: Hashable, Sendable {
    /// By which its way can be followed.
    let id: RandomToken
    let subject: PushEvent.Subject
    private let json: [UInt8]
    /// What is said of it where it has no words of its own.
    private let text: PushText?
    /// What to say where the whole is too long, or the service does not take it.
    private let idsAlone: [UInt8]
    private let shortText: PushText?
    /// Later ones about the same take its place, at the push service as here.
    let topic: String
    /// As long as it is worth being delivered.
    private(set) var life = PushSettings.life
    /// Whether it goes before others to the same device.
    private(set) var isUrgent = false
    /// Push services keep it for nobody who is not there.
    private(set) var isInstant = false

    private static let maximumLetters = 200
    private static let maximumWordBytes = 800
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
        let body = content == .full ? push.entry.body.map { MessageBody(proven: $0) } : nil
        let words = Self.beginning(of: body?.alert ?? body?.words ?? "")
        self.idsAlone = JSONWriter.object { $0.ids(push, id, badge, content) }
        self.shortText = .message
        self.text = words.isEmpty ? PushText(content == .full ? push.entry.kind : nil, body) : nil
        self.json = JSONWriter.object { json in
            json.ids(push, id, badge, content)
            if isSilent { json.field("silent", true) }
            guard content != .none else { return }
            if let name = push.senderName { json.field("name", name.text) }
            if let title = push.title { json.field("title", title.text) }
            guard content == .full else { return }
            json.field("messageKind", push.entry.kind?.text ?? "")
            if !words.isEmpty { json.field("text", words) }
        }
    }

    /// Letters may be made of many marks, and take many bytes.
    private static func beginning(of words: String) -> String {
        var (beginning, bytes) = ("", 0)
        for letter in words.prefix(Self.maximumLetters) {
            bytes += letter.utf8.count
            guard bytes <= Self.maximumWordBytes else { break }
            beginning.append(letter)
        }
        return beginning
    }

    /// The whole, or its ids alone, with what is said by itself in the language of a device.
    func plain(for language: String?, idsAlone: Bool = false) -> [UInt8] {
        let (json, text) = idsAlone ? (self.idsAlone, self.shortText) : (self.json, self.text)
        guard let words = text?.text(in: .init(language)) else { return json }
        // Behind the last of its members, of which there are some.
        return json.dropLast() + [UInt8(ascii: ",")] + JSONWriter.object { $0.field("words", words) }.dropFirst()
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
        let text = content == .none ? .incomingCall : PushText(call.kind)
        self.init(PushEvent.Subject(.call, in: call.id.text), text, topic: Self.topic(call.id), at: now) { json in
            json.field("call", call.id.text)
            guard content != .none else { return }
            json.field("kind", call.kind.rawValue)
            json.field("sender", call.caller.user.text)
            json.field("name", callerName.text)
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
        PushMessage(PushEvent.Subject(.test), .test, topic: "test", at: now) { _ in }
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
        (self.text, self.shortText) = (nil, nil)
        self.life = max(.zero, .milliseconds(announcement.expiry.milliseconds - now.milliseconds))
        self.isInstant = isInstant
    }

    /// One for an app that was made for another server, in words that are short enough for every service.
    init(_ announcement: Announcement, isInstant: Bool, at now: WallTime, inWords json: [UInt8]) {
        self.id = announcement.push
        self.subject = PushEvent.Subject(.announcement, in: "\(announcement.number)")
        self.topic = Self.topic(announcement: announcement.topic)
        (self.json, self.idsAlone) = (json, json)
        (self.text, self.shortText) = (nil, nil)
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
        _ subject: PushEvent.Subject, _ text: PushText? = nil, topic: String, at now: WallTime,
        _ members: (inout JSONWriter) -> Void
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
        (self.text, self.shortText) = (text, text)
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
    fileprivate mutating func ids(
        _ push: PendingPush, _ id: RandomToken, _ badge: UInt64, _ content: PushSettings.Content
    ) {
        self.field("type", "message")
        self.field("push", id.text)
        self.field("conversation", push.conversation.text)
        self.field("kind", push.kind.rawValue)
        self.field("number", push.entry.number)
        if content != .none { self.field("sender", push.entry.sender.text) }
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
