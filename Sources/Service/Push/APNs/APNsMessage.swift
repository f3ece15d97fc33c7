internal import Bytes
internal import JSON

/// A push in the words of Apple's push service: what the system shows, and beside it what the app is told.
struct APNsMessage: Hashable {
    enum Kind: String { case alert, background }

    let kind: Kind
    let json: [UInt8]
    /// 10 is at once; 5 when the device finds it fit, and the only one for what shows nothing.
    let priority: Int

    static let maximumBytes = 4096

    /// - Parameters:
    ///   - message: a JSON object.
    ///   - sealed: the same for the app alone. Then nobody on the way reads more than that there is something.
    ///   - topic: what is about the same is shown together.
    init(_ message: [UInt8], sealed: [UInt8]?, language: String?, topic: String) {
        let form = JSONObject(proven: message.span)
        if sealed == nil, let aps = form.value("aps") {
            self = Self.ready(form, aps)
            return
        }
        let type = form["type", .text] ?? ""
        let isSilent = form["silent", .bool] ?? false
        // What an announcement says is as much the app's own as what a message says.
        let shownType = form.value("aps") == nil ? type : "message"
        let notice = sealed == nil ? PushNotice(message) : PushNotice.sealed(shownType, in: language)
        self.kind = notice == nil ? .background : .alert
        self.priority = notice == nil || isSilent ? 5 : 10
        self.json = JSONWriter.object { json in
            json.object("aps") { aps in
                guard let notice else { return aps.field("content-available", 1) }
                aps.field("alert") { $0.fields(("title", notice.title), ("body", notice.body)) }
                aps.field("thread-id", topic)
                aps.field("mutable-content", 1)
                if let badge = form["badge", .integer], sealed == nil { aps.field("badge", badge) }
                if !isSilent { aps.field("sound", "default") }
                if isSilent || type == "call" {
                    aps.field("interruption-level", isSilent ? "passive" : "time-sensitive")
                }
            }
            if let sealed { return json.field("sealed", Base64.encode(sealed, as: .url)) }
            for member in form.members { json.field(form.name(of: member), raw: form.reader.raw(member.value)) }
        }
    }

    private init(_ kind: Kind, _ json: [UInt8], priority: Int) {
        self.kind = kind
        self.json = json
        self.priority = priority
    }

    /// One that says itself what the system shows.
    private static func ready(_ form: borrowing JSONObject, _ aps: JSONValue) -> APNsMessage {
        let own = JSONObject(found: aps, in: form.reader)
        let isShown = ["alert", "badge", "sound"].contains { own.value($0) != nil }
        let isQuiet = own["interruption-level", .text] == "passive"
        return APNsMessage(
            isShown ? .alert : .background, form.reader.raw(form.reader.provenDocument),
            priority: isShown && !isQuiet ? 10 : 5)
    }
}
