internal import JSON
internal import Keeping
internal import Vocabulary

/// What a program on another server wants to be told, and to whom: the body of `/v3/push`.
struct JPushRequest {
    let platforms: Platforms
    let audience: PushAudience
    let notification: JPushNotification?
    let message: JPushMessage?
    let options: JPushOptions
    /// By which the program recognises what it says twice.
    let cid: String?

    /// For devices of which kinds.
    struct Platforms: Hashable {
        static let known: Set<String> = ["android", "ios", "winphone", "hmos", "quickapp"]
        /// Nil for all.
        let names: Set<String>?

        func holds(_ platform: String) -> Bool { self.names?.contains(platform) ?? true }
    }

    private static let names: Set<String> = [
        "platform", "audience", "notification", "message", "options", "sms_message", "cid", "notification_3rd",
        "inapp_message", "live_activity", "callback",
    ]
    private static let notOffered = ["sms_message", "notification_3rd", "inapp_message", "live_activity", "callback"]
    static let maximumNameBytes = 64

    init(_ body: [UInt8]) throws(JPushProblem) {
        guard let loose = LooseObject(body) else { throw .wrong("the body must be one JSON object") }
        let object = try JPushObject(loose, Self.names)
        guard let platforms = object["platform"] else { throw .missing("'platform' is missing") }
        guard let audience = object["audience"] else { throw .missing("'audience' is missing") }
        if let part = Self.notOffered.first(where: { object[$0] != nil }) { throw .notOffered("'\(part)'") }
        self.platforms = try Platforms(platforms)
        self.audience = try PushAudience(jpush: audience)
        self.notification = try object["notification"].map { json throws(JPushProblem) in
            try JPushNotification(json)
        }
        self.message = try object["message"].map { json throws(JPushProblem) in try JPushMessage(json) }
        self.options = try JPushOptions(object)
        self.cid = try object.text("cid")
        guard self.notification != nil || self.message != nil else {
            throw .missing("'notification' and 'message' are both missing")
        }
        if let cid = self.cid, !(1...Self.maximumNameBytes).contains(cid.utf8.count) {
            throw .wrong("'cid' must have 1 to \(Self.maximumNameBytes) bytes")
        }
        try self.checkSizes()
    }

    /// For Android what is shown and what is not counts together.
    private func checkSizes() throws(JPushProblem) {
        let message = self.message?.size ?? 0
        guard message <= JPushMessage.maximumBytes else {
            throw .tooLarge("'message' has more than \(JPushMessage.maximumBytes) bytes")
        }
        let android = (self.notification?.androidSize ?? 0) + message
        guard android <= JPushNotification.maximumAndroidBytes else {
            throw .tooLarge(
                "'notification' and 'message' have more than \(JPushNotification.maximumAndroidBytes) bytes together")
        }
    }
}

// MARK: - For one device

extension JPushRequest {
    /// Of what is only for those who are there, so that it reaches them at all.
    private static let instant = Duration.seconds(60)

    func announcement(_ body: [UInt8], from key: String, at now: WallTime) -> MakeAnnouncement {
        var made = MakeAnnouncement(
            body, from: key, push: .fresh(), life: max(self.options.life, Self.instant), at: now)
        made.name = self.cid
        made.topic = self.options.topic.map { "\(key) \($0)" }
        made.overrides = self.options.overridden
        return made
    }

    /// Whether there is something in it for a device.
    func concerns(_ device: PushDevice) -> Bool {
        let platform = JPushPlatform(device)
        guard self.platforms.holds(platform.rawValue) else { return false }
        if let token = APNsToken(endpoint: device.endpoint) {
            guard (token.environment == .production) == self.options.isProduction else { return false }
        }
        return self.message != nil || self.notification?.words(for: platform) != nil
    }

    func message(
        for recipient: PushRecipient, _ announcement: Announcement, at now: WallTime, isSilent: Bool
    ) -> PushMessage {
        let words = self.notification?.words(for: JPushPlatform(recipient.device))
        return PushMessage(announcement, isInstant: self.options.life == .zero, isSilent: isSilent, at: now) { json in
            if let words { json.members(of: words, recipient.badge) }
            if let message = self.message { json.members(of: message) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of words: JPushNotification.Words, _ waiting: UInt64) {
        self.optional("title", words.title)
        self.field("text", words.text)
        if let extras = words.extras { self.field("extras", raw: extras) }
        switch words.badge {
        case .number(let number): self.field("badge", number)
        case .more(let more): self.field("badge", max(0, Int(clamping: waiting) + more))
        case nil: break
        }
    }

    fileprivate mutating func members(of message: JPushMessage) {
        self.field("content", message.content)
        self.optional("contentTitle", message.title)
        self.optional("contentType", message.contentType)
        if let extras = message.extras { self.field("contentExtras", raw: extras) }
    }
}

extension JPushRequest.Platforms {
    fileprivate init(_ json: [UInt8]) throws(JPushProblem) {
        if let word = JSONType.text.read(proven: json) {
            guard word == "all" else { throw .wrong("'platform' must be \"all\" or an array") }
            self.names = nil
            return
        }
        guard let names = JSONType<String>.text.list().read(proven: json), !names.isEmpty,
            names.allSatisfy(Self.known.contains)
        else { throw .wrong("'platform' must have some of \(Self.known.sorted().joined(separator: ", "))") }
        self.names = Set(names)
    }
}
