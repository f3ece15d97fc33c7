internal import Bytes
internal import JSON

/// A push in the words of Firebase Cloud Messaging (`projects.messages:send`).
struct FCMMessage: Hashable {
    let json: [UInt8]
    /// Names and values of what reaches the device; FCM takes 4,096 bytes.
    let payloadBytes: Int

    static let maximumPayloadBytes = 4096
    /// FCM keeps nothing longer.
    static let maximumLife: Int64 = 2_419_200

    struct Envelope: Hashable {
        let token: FCMToken
        let topic: String
        let urgency: PushSender.Urgency
        /// In seconds.
        let life: Int64
    }

    /// - Parameter message: a JSON object, whose members the device's program gets as texts.
    init(_ message: [UInt8], _ style: FCMSettings.Style, _ envelope: Envelope) {
        let notice = style == .notification ? PushNotice(message) : nil
        self.init(data: Self.texts(message), notice, envelope)
    }

    /// - Parameter sealed: what only the device's program can open (RFC 8291).
    init(sealed: [UInt8], _ envelope: Envelope) {
        self.init(data: [("sealed", Base64.encode(sealed, as: .url))], nil, envelope)
    }

    private init(data: [(String, String)], _ notice: PushNotice?, _ envelope: Envelope) {
        let shown = notice.map { [("title", $0.title), ("body", $0.body)] } ?? []
        self.payloadBytes = (data + shown).reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
        self.json = JSONWriter.object { json in
            json.object("message") { json in
                json.field("token", envelope.token.text)
                json.object("data") { json in for (name, value) in data { json.field(name, value) } }
                if notice != nil {
                    json.object("notification") { json in for (name, value) in shown { json.field(name, value) } }
                }
                json.object("android") { json in
                    json.field("priority", envelope.urgency == .high ? "HIGH" : "NORMAL")
                    json.field("ttl", "\(min(envelope.life, Self.maximumLife))s")
                    json.field("collapse_key", envelope.topic)
                    // So that a later one takes the place of what is shown.
                    if notice != nil { json.object("notification") { $0.field("tag", envelope.topic) } }
                }
            }
        }
    }

    /// FCM takes texts only.
    private static func texts(_ message: [UInt8]) -> [(String, String)] {
        let object = JSONObject(proven: message.span)
        return object.members.map { member in
            let text = object.reader.string(member.value)
            return (object.name(of: member), text ?? String(decoding: object.reader.raw(member.value), as: UTF8.self))
        }
    }
}
