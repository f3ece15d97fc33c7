internal import JSON

/// What a device shows: for all of them, or for those of one platform in other words.
struct JPushNotification: Hashable {
    /// As one device is to show it.
    struct Words: Hashable {
        var title: String?
        var text: String
        /// A JSON object that the device's program is given as it is.
        var extras: [UInt8]?
        var badge: Badge?
        /// What Apple's devices show, as a JSON object without the badge.
        var aps: APS?
    }

    /// What is special about Apple's devices.
    struct APS: Hashable {
        /// A text or an object.
        let alert: [UInt8]
        /// A text or an object.
        var sound: [UInt8]?
        var isContentAvailable = false
        var isMutable = false
        var category: String?
        var thread: String?
        var interruption: String?
    }

    enum Badge: Hashable {
        case number(Int)
        /// More, or less, than what waits.
        case more(Int)
    }

    let alert: String?
    let android: Words?
    let ios: Words?
    let androidSize: Int
    let iosSize: Int

    static let maximumAndroidBytes = 4000
    static let maximumIOSBytes = 2000
    private static let names: Set<String> = ["alert", "android", "ios", "winphone", "hmos", "quickapp", "voip"]

    init(_ json: [UInt8]) throws(JPushProblem) {
        let object = try JPushObject(json, Self.names, as: "notification")
        if object["voip"] != nil { throw .notOffered("'voip'") }
        self.alert = try object.text("alert")
        self.android = try object.object("android", Words.androidNames).map { part throws(JPushProblem) in
            try Words(android: part, usual: try object.text("alert"))
        }
        self.ios = try object.object("ios", Words.iosNames).map { part throws(JPushProblem) in
            try Words(ios: part, usual: try object.text("alert"))
        }
        self.iosSize = object["ios"]?.count ?? self.alert?.utf8.count ?? 0
        self.androidSize = object["android"]?.count ?? self.alert?.utf8.count ?? 0
        guard self.alert != nil || self.android != nil || self.ios != nil else {
            throw .missing("'notification' has nothing for a platform of this server's devices")
        }
    }

    /// Nil where nothing is said for the platform.
    func words(for platform: JPushPlatform) -> Words? {
        switch platform {
        case .ios: self.ios ?? self.alert.map { Words(ios: $0) }
        case .android: self.android ?? self.alert.map { Words(text: $0) }
        }
    }
}

extension JPushNotification.Words {
    static let androidNames: Set<String> = [
        "alert", "title", "builder_id", "channel_id", "priority", "category", "style", "alert_type", "big_text",
        "inbox", "big_pic_path", "large_icon", "small_icon_uri", "icon_bg_color", "intent", "uri_activity",
        "uri_action", "badge_add_num", "badge_set_num", "badge_class", "sound", "show_begin_time", "show_end_time",
        "display_foreground", "custom_buttons", "mipns_content_forshort", "oppns_content_forshort",
        "vpns_content_forshort", "mzpns_content_forshort", "extras",
    ]
    static let iosNames: Set<String> = [
        "alert", "sound", "badge", "content-available", "mutable-content", "category", "thread-id",
        "interruption-level", "extras",
    ]
    private static let maximumBadge = 99_999

    fileprivate init(android part: JPushObject, usual: String?) throws(JPushProblem) {
        guard let text = try part.text("alert") ?? usual else { throw .missing("'android' has no 'alert'") }
        self.init(title: try part.text("title"), text: text, extras: try part.anyObject("extras"))
        _ = try part.number("priority", in: -2...2)
        _ = try part.number("style", in: 0...3)
        _ = try part.number("alert_type", in: -1...7)
        if let more = try part.number("badge_add_num", in: 1...Self.maximumBadge) { self.badge = .more(more) }
        if let number = try part.number("badge_set_num", in: 0...Self.maximumBadge) { self.badge = .number(number) }
    }

    fileprivate init(ios part: JPushObject, usual: String?) throws(JPushProblem) {
        let alert = try Self.alert(of: part)
        guard let text = alert.text ?? usual else { throw .missing("'ios' has no 'alert'") }
        self.init(title: alert.title, text: text, extras: try part.anyObject("extras"))
        self.badge = try Self.badge(of: part)
        self.aps = try JPushNotification.APS(part, alert: part["alert"] ?? JSONWriter.bytes { $0.string(text) })
    }

    /// Where nothing is said for Apple's devices alone.
    fileprivate init(ios text: String) {
        self.init(text: text)
        self.aps = JPushNotification.APS(
            alert: JSONWriter.bytes { $0.string(text) }, sound: JSONWriter.bytes { $0.string("default") })
    }

    /// A text, or an object with a title and a body.
    private static func alert(of part: JPushObject) throws(JPushProblem) -> (title: String?, text: String?) {
        guard let json = part["alert"] else { return (nil, nil) }
        if let text = JSONType.text.read(proven: json) { return (nil, text) }
        guard let object = LooseObject(json) else { throw .wrong("'alert' must be a text or an object") }
        return (object.text("title"), object.text("body") ?? "")
    }

    /// A number, or one with a sign in front of it, as a text.
    private static func badge(of part: JPushObject) throws(JPushProblem) -> JPushNotification.Badge? {
        guard let json = part["badge"] else { return nil }
        let text = JSONType.text.read(proven: json)
        let isChange = text.map { $0.hasPrefix("+") || $0.hasPrefix("-") } ?? false
        guard let number = JSONType.integer.read(proven: json) ?? text.flatMap({ Int($0) }),
            (-Self.maximumBadge...Self.maximumBadge).contains(number)
        else { throw .wrong("'badge' must be a number, or one with + or - in front of it") }
        return isChange ? .more(number) : .number(max(0, number))
    }
}

extension JPushNotification.APS {
    private static let interruptions: Set<String> = ["active", "critical", "passive", "time-sensitive"]

    fileprivate init(_ part: JPushObject, alert: [UInt8]) throws(JPushProblem) {
        self.alert = alert
        self.sound = part["sound"]
        self.isContentAvailable = try part.flag("content-available") ?? false
        self.isMutable = try part.flag("mutable-content") ?? false
        self.category = try part.text("category")
        self.thread = try part.text("thread-id")
        self.interruption = try part.text("interruption-level")
        if let level = self.interruption, !Self.interruptions.contains(level) {
            throw .wrong("'interruption-level' must be one of \(Self.interruptions.sorted().joined(separator: ", "))")
        }
        if let sound = self.sound, JSONType.text.read(proven: sound) == nil, LooseObject(sound) == nil {
            throw .wrong("'sound' must be a text or an object")
        }
    }
}
