internal import JSON
internal import Keeping
internal import Vocabulary
internal import Web

/// Devices and the ways of pushes as `/v1/push` answers with them.
extension JSONWriter {
    /// Without its endpoint: whoever has that can write to the device.
    mutating func pushDevice(_ device: PushDevice) {
        self.object { json in
            json.field("device", device.device.text)
            let kind = PushKind(device)
            json.field("kind", kind.rawValue)
            let origin = kind == .webpush ? (try? PushEndpoint(device.endpoint))?.origin ?? "" : kind.rawValue
            json.field("service", origin)
            json.field("registration", device.registration.text)
            json.optional("alias", device.alias?.text)
            if let token = APNsToken(endpoint: device.endpoint) {
                json.field("environment", token.environment.rawValue)
            }
            if let language = device.language { json.field("language", language) }
            json.field("since", device.since.milliseconds)
            if let quiet = device.quiet { json.object("quiet") { $0.members(of: quiet) } }
            guard let outcome = device.outcome else { return }
            json.field("lastPush", outcome.time.milliseconds)
            if let trouble = outcome.trouble { json.field("trouble", trouble) }
        }
    }

    private mutating func members(of quiet: QuietHours) {
        self.field("from", TimeOfDay.text(quiet.start))
        self.field("to", TimeOfDay.text(quiet.end))
        self.field("offset", quiet.offset)
        self.field("calls", quiet.letsCallsThrough)
    }

    mutating func members(of test: PushService.Test) {
        self.field("devices", test.devices)
        self.field("push", test.push.text)
    }

    mutating func pushEvent(_ event: PushEvent, ofUser: Bool = false) {
        self.object { json in
            json.field("time", event.time.milliseconds)
            json.field("push", event.push.text)
            if ofUser { json.field("user", event.user.text) }
            json.optional("device", event.device?.text)
            json.field("type", event.subject.kind.rawValue)
            switch event.subject.kind {
            case .message, .read: json.optional("conversation", event.subject.place)
            case .call, .callOver: json.optional("call", event.subject.place)
            case .announcement, .announcementOver: json.optional("announcement", event.subject.place)
            case .test: break
            }
            if let number = event.subject.entry { json.field("number", number) }
            json.field("event", event.kind.rawValue)
            if let status = event.status { json.field("status", status) }
            json.optional("reason", event.reason)
        }
    }
}

extension ListPushEvents {
    private static let usualLimit = 100
    static let rule =
        "'limit' must be from 1 to \(Self.maximumLimit), 'number' a whole number, 'conversation' and 'call' not both"

    /// - Parameter user: whose; nil for those of all.
    init?(_ query: QueryItems, of user: UserID?) {
        guard let limit = Int(query["limit"] ?? "\(Self.usualLimit)"), (1...Self.maximumLimit).contains(limit),
            query["conversation"] == nil || query["call"] == nil
        else { return nil }
        var entry: UInt64?
        if let text = query["number"] {
            guard let number = UInt64(text), number <= Int64.max else { return nil }
            entry = number
        }
        self.init(of: user, in: query["conversation"] ?? query["call"], entry: entry, limit: limit)
    }
}

extension QuietHours {
    /// `{"from":"22:00","to":"07:00","offset":120,"calls":true}`
    init(_ form: JSONObject) throws(PushRefusal) {
        guard let start = form["from", .text].flatMap({ TimeOfDay.minute($0) }),
            let end = form["to", .text].flatMap({ TimeOfDay.minute($0) }),
            let quiet = QuietHours(
                from: start, to: end, offset: Int(clamping: form["offset", .integer] ?? 0),
                letsCallsThrough: form["calls", .bool] ?? false)
        else {
            throw PushRefusal(
                "'quiet' must have 'from' and 'to' like 22:00 that differ, and an 'offset' of -720 to 840 minutes")
        }
        self = quiet
    }
}

/// Hours and minutes as `22:00`.
private enum TimeOfDay {
    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isNumber) }),
            let hour = UInt8(parts[0]),
            let minute = UInt8(parts[1]), hour < 24, minute < 60
        else { return nil }
        return Int(hour) * 60 + Int(minute)
    }

    static func text(_ minute: Int) -> String {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
    }
}
