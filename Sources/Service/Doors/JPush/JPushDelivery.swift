internal import JSON
internal import Keeping
internal import Vocabulary

/// What a program says, as it goes to one device after the other.
struct JPushDelivery {
    let announcement: Announcement
    let request: JPushRequest

    /// Of what is only for those who are there, so that it reaches them at all.
    private static let instant = Duration.seconds(60)

    static func announcement(
        _ request: JPushRequest, _ body: [UInt8], from key: String, at now: WallTime
    ) -> MakeAnnouncement {
        let life = max(request.options.life, Self.instant)
        var made = MakeAnnouncement(body, from: key, push: .fresh(), life: life, at: now)
        made.name = request.cid
        made.topic = request.options.topic.map { "\(key) \($0)" }
        made.overrides = request.options.overridden
        return made
    }

    /// Of a schedule whose time has come; nil where it came too late.
    static func announcement(
        _ request: JPushRequest, _ body: [UInt8], of schedule: PushSchedule, late: Duration, at now: WallTime
    ) -> MakeAnnouncement? {
        let life = max(request.options.life, Self.instant) - late
        guard life > .zero else { return nil }
        var made = MakeAnnouncement(body, from: schedule.source, push: .fresh(), life: life, at: now)
        made.topic = request.options.topic.map { "\(schedule.source) \($0)" }
        made.schedule = schedule.id
        return made
    }

    func message(for recipient: PushRecipient, at now: WallTime) -> PushMessage {
        let platform = JPushPlatform(recipient.device)
        let isSilent = recipient.device.quiet?.contains(now) == true
        let isInstant = self.request.options.life == .zero
        let words = self.request.notification?.words(for: platform)
        if platform == .ios, let words, let aps = words.aps {
            let json = JSONWriter.object { json in
                json.members(of: words.extras.flatMap { LooseObject($0) } ?? LooseObject(), self.announcement)
                json.object("aps") { $0.members(of: aps, badge: words.badge(recipient.badge), isSilent: isSilent) }
            }
            return PushMessage(self.announcement, isInstant: isInstant, at: now, inWords: json)
        }
        return PushMessage(
            self.announcement, isInstant: isInstant, isSilent: isSilent, at: now,
            short: { json in if let words { json.short(words, recipient.badge) } },
            { json in
                if let words { json.members(of: words, recipient.badge) }
                if let message = self.request.message { json.members(of: message) }
            })
    }
}

extension JPushRequest {
    /// Whether there is something in it for a device.
    func concerns(_ device: PushDevice) -> Bool {
        let platform = JPushPlatform(device)
        guard self.platforms.holds(platform.rawValue) else { return false }
        if let token = APNsToken(endpoint: device.endpoint) {
            guard (token.environment == .production) == self.options.isProduction else { return false }
        }
        return self.message != nil || self.notification?.words(for: platform) != nil
    }
}

extension JPushNotification.Words {
    fileprivate func badge(_ waiting: UInt64) -> Int? {
        switch self.badge {
        case .number(let number): number
        case .more(let more): max(0, Int(clamping: waiting) + more)
        case nil: nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(of words: JPushNotification.Words, _ waiting: UInt64) {
        self.optional("title", words.title)
        self.field("text", words.text)
        if let extras = words.extras { self.field("extras", raw: extras) }
        self.optional("badge", words.badge(waiting))
    }

    private static let maximumTitle = 100
    private static let maximumText = 400

    /// What every push service takes.
    fileprivate mutating func short(_ words: JPushNotification.Words, _ waiting: UInt64) {
        self.optional("title", words.title.map { String($0.prefix(Self.maximumTitle)) })
        self.field("text", String(words.text.prefix(Self.maximumText)))
        self.optional("badge", words.badge(waiting))
    }

    fileprivate mutating func members(of message: JPushMessage) {
        self.field("content", message.content)
        self.optional("contentTitle", message.title)
        self.optional("contentType", message.contentType)
        if let extras = message.extras { self.field("contentExtras", raw: extras) }
    }

    /// Apps that were made for JPush find the program's own members beside `aps`.
    fileprivate mutating func members(of extras: LooseObject, _ announcement: Announcement) {
        let own: Set<String> = ["aps", "sealed", "push", "announcement", "_j_msgid"]
        self.field("push", announcement.push.text)
        self.field("announcement", "\(announcement.number)")
        self.field("_j_msgid", announcement.number)
        if extras["type"] == nil { self.field("type", "announcement") }
        for name in extras.names where !own.contains(name) {
            if let value = extras[name] { self.field(name, raw: value) }
        }
    }

    fileprivate mutating func members(of aps: JPushNotification.APS, badge: Int?, isSilent: Bool) {
        let isShown = JSONType.text.read(proven: aps.alert) != ""
        if isShown {
            self.field("alert", raw: aps.alert)
            if let sound = aps.sound, !isSilent { self.field("sound", raw: sound) }
        }
        self.optional("badge", badge)
        if aps.isContentAvailable || !isShown { self.field("content-available", 1) }
        if aps.isMutable { self.field("mutable-content", 1) }
        self.optional("category", aps.category)
        self.optional("thread-id", aps.thread)
        self.optional("interruption-level", isSilent ? "passive" : aps.interruption)
    }
}
