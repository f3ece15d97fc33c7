internal import Bytes
package import Conversing
internal import JSON
package import Vocabulary

/// A message as programs publish it, and the same in Parley's form.
///
/// It stays in the body under `rc`, so that programs and their apps get back every byte of it.
package struct RongCloudMessage {
    static let member = "rc"

    let type: String
    /// As it came: a JSON object of a built-in type, anything of another.
    let content: String
    /// Nil where it is none.
    let object: LooseObject?
    /// What a notification says.
    let pushContent: String?
    let pushData: String?
    let extraContent: String?
    let isCounted: Bool
    let isPersisted: Bool
    let isIncludeSender: Bool
    let disablesPush: Bool
    /// Whether something may be added to it later (`message/expansion`).
    let isExpandable: Bool

    static let maximumTypeBytes = 32
    static let maximumContentBytes = 128 << 10
    private static let maximumPushBytes = 4096
    private static let maximumChannelBytes = 20

    package init(_ form: RongCloudForm) throws(RongCloudProblem) {
        self.type = try Self.checkedType(try form.required("objectName"))
        self.content = try form.required("content")
        guard self.content.utf8.count <= Self.maximumContentBytes else {
            throw .tooLong("content", Self.maximumContentBytes)
        }
        self.object = LooseObject(Array(self.content.utf8))
        guard self.object != nil || !RongCloudType.isBuiltIn(self.type) else {
            throw .illegal("content", "a JSON object of at most \(LooseObject.maximumMembers) members")
        }
        self.pushContent = try form.text("pushContent", maximum: Self.maximumPushBytes)
        self.pushData = try form.text("pushData", maximum: Self.maximumPushBytes)
        self.extraContent = try form.text("extraContent", maximum: Self.maximumPushBytes)
        self.isCounted = try form.flag("isCounted", else: RongCloudType.counts(self.type))
        self.isPersisted = try form.flag("isPersisted", else: true)
        self.isIncludeSender = try form.flag("isIncludeSender", else: false)
        self.disablesPush = try form.flag("disablePush", else: false)
        self.isExpandable = try form.flag("expansion", else: false)
        _ = try form.text("busChannel", maximum: Self.maximumChannelBytes)
        if let text = try form.text("pushExt", maximum: Self.maximumPushBytes) {
            guard LooseObject(Array(text.utf8)) != nil else { throw .illegal("pushExt", "a JSON object") }
        }
    }

    private static func checkedType(_ type: String) throws(RongCloudProblem) -> String {
        guard type.utf8.count <= self.maximumTypeBytes else { throw .tooLong("objectName", self.maximumTypeBytes) }
        guard type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .illegal("objectName", "1 to 32 visible letters, such as RC:TxtMsg")
        }
        return type
    }

    /// The message that this one quotes.
    var quoted: RongCloudMessageUID? {
        guard self.type == RongCloudType.reference else { return nil }
        return (self.object?.text("referMsgUid")).flatMap { RongCloudMessageUID($0) }
    }

    /// The file that is in the message itself.
    var heldFile: [UInt8]? {
        guard RongCloudType.holdsFile(self.type), let text = self.object?.text("content") else { return nil }
        let bytes = try? Base64.decode(text.filter { !$0.isWhitespace })
        return bytes?.isEmpty == false ? bytes : nil
    }

    /// A file that was brought here: the address in the message is one of this server's.
    func ownFile(at host: String?) -> FileID? {
        guard let (_, member) = RongCloudType.media(self.type), var address = self.object?.text(member)?[...] else {
            return nil
        }
        if let host, let start = ["http://\(host)", "https://\(host)"].first(where: { address.hasPrefix($0) }) {
            address = address.dropFirst(start.count)
        }
        guard address.hasPrefix("/v1/files/") else { return nil }
        return FileID(String(address.dropFirst("/v1/files/".count).prefix { $0 != "/" && $0 != "?" }))
    }
}

// MARK: - As everybody reads it

extension RongCloudMessage {
    /// - Parameter file: that it shows.
    package func draft(showing file: FileID?) -> Draft {
        var body = LooseObject()
        let kind = self.fill(&body, file)
        if let words = self.pushContent { body.set("alert", words) }
        body.set(Self.member, self.kept)
        var draft = Draft(kind, MessageBody(proven: body.json))
        draft.mentions = self.mentions
        draft.isCounted = self.isCounted
        draft.wakes = !self.disablesPush && (self.pushContent != nil || RongCloudType.wakes(self.type))
        return draft
    }

    private func fill(_ body: inout LooseObject, _ file: FileID?) -> MessageKind {
        guard let object = self.object, RongCloudType.isBuiltIn(self.type) else { return .custom }
        if let (kind, address) = RongCloudType.media(self.type) {
            return self.fill(&body, file, as: kind, object, address)
        }
        switch self.type {
        case RongCloudType.text, RongCloudType.reference:
            guard let words = object.text("content"), !words.isEmpty else { return .custom }
            body.set("text", words)
            return .text
        case RongCloudType.location:
            body["latitude"] = object["latitude"]
            body["longitude"] = object["longitude"]
            if let name = object.text("poi") { body.set("name", name) }
            return .location
        case RongCloudType.article:
            if let title = object.text("title") { body.set("title", title) }
            let detail = [object.text("content"), object.text("url")].compactMap(\.self).joined(separator: "\n")
            body.set("detail", detail)
            return .card
        case RongCloudType.information, RongCloudType.group:
            guard let words = object.text("message"), !words.isEmpty else { return .custom }
            body.set("text", words)
            return .notice
        default: return .custom
        }
    }

    /// A file that is kept elsewhere is shown as a card with its address.
    private func fill(
        _ body: inout LooseObject, _ file: FileID?, as kind: MessageKind, _ object: LooseObject, _ address: String
    ) -> MessageKind {
        if let name = object.text("name") { body.set("name", name) }
        if let seconds = object["duration"], object.integer("duration") != nil { body["duration"] = seconds }
        if let file {
            body.set("file", file.text)
            return kind
        }
        if object.text("name") == nil { body.set("title", PushText(kind, nil).text(in: .chinese)) }
        if let url = object.text(address) { body.set("detail", url) }
        return .card
    }

    private var kept: LooseObject {
        var kept = LooseObject()
        kept.set("objectName", self.type)
        if self.object != nil { kept["content"] = Array(self.content.utf8) } else { kept.set("content", self.content) }
        for (name, value) in [("pushData", self.pushData), ("extraContent", self.extraContent)] {
            if let value { kept.set(name, value) }
        }
        if self.isExpandable { kept["expansion"] = Array("true".utf8) }
        if !self.isPersisted { kept["persisted"] = Array("false".utf8) }
        return kept
    }

    private static let maximumMentions = 100

    /// Those who are named. Everybody is nobody in particular.
    private var mentions: [UserID] {
        guard let info = self.object?.object("mentionedInfo"), info.integer("type") == 2,
            let list = info["userIdList"], let texts = JSONType<String>.text.list().read(proven: list)
        else { return [] }
        return texts.prefix(Self.maximumMentions).compactMap { UserID($0) }
    }
}
