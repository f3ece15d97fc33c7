internal import JSON
package import Keeping

/// What a program on another server wants to be told, and to whom: the body of `/v3/push`.
package struct JPushRequest {
    let platforms: Platforms
    package let audience: PushAudience
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

    package init(_ body: [UInt8]) throws(JPushProblem) {
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
        let isForIOS = self.platforms.holds(JPushPlatform.ios.rawValue)
        if isForIOS, let notification = self.notification, notification.iosSize > JPushNotification.maximumIOSBytes {
            throw .tooLarge("what is shown on 'ios' has more than \(JPushNotification.maximumIOSBytes) bytes")
        }
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
