internal import Conversing
internal import JSON
internal import Vocabulary

/// What somebody said, in the words of programs: as a program published it, or what comes nearest to what a person says.
struct RongCloudWords: Hashable {
    let type: String
    let content: String
    private(set) var extraContent: String?

    /// How the types begin that programs have no name for.
    static let ownPrefix = "Parley:"

    init(_ entry: Entry) {
        let body = entry.body.flatMap { LooseObject($0) } ?? LooseObject()
        if let kept = body.object(RongCloudMessage.member), let type = kept.text("objectName"),
            let content = kept["content"]
        {
            self.type = type
            self.content = JSONType.text.read(proven: content) ?? String(decoding: content, as: UTF8.self)
            self.extraContent = kept.text("extraContent")
            return
        }
        let kind = entry.kind ?? .custom
        let (type, content) = Self.words(kind, body) ?? (Self.ownPrefix + kind.text, body)
        self.type = String(type.prefix(RongCloudMessage.maximumTypeBytes))
        self.content = String(decoding: Self.adding(entry, to: content).json, as: UTF8.self)
    }

    private static func words(_ kind: MessageKind, _ body: LooseObject) -> (String, LooseObject)? {
        var content = LooseObject()
        switch kind {
        case .text:
            content["content"] = body["text"]
            return (RongCloudType.text, content)
        case .notice:
            content["message"] = body["text"]
            return (RongCloudType.information, content)
        case .location:
            for (theirs, ours) in [("latitude", "latitude"), ("longitude", "longitude"), ("poi", "name")] {
                content[theirs] = body[ours]
            }
            return (RongCloudType.location, content)
        case .image, .voice, .video, .file: return self.file(kind, body)
        default: return nil
        }
    }

    private static let types: [MessageKind: String] = [
        .image: RongCloudType.image, .voice: RongCloudType.voice, .video: RongCloudType.video,
        .file: RongCloudType.file,
    ]

    /// With the address of the file on this server.
    private static func file(_ kind: MessageKind, _ body: LooseObject) -> (String, LooseObject)? {
        guard let type = self.types[kind], let (_, address) = RongCloudType.media(type), let file = body.text("file")
        else { return nil }
        var content = LooseObject()
        content.set(address, "/v1/files/\(file)/content")
        for name in ["name", "duration", "size"] { content[name] = body[name] }
        return (type, content)
    }

    private static func adding(_ entry: Entry, to content: LooseObject) -> LooseObject {
        guard !entry.mentions.isEmpty else { return content }
        var (content, info) = (content, LooseObject())
        info.set("type", 2)
        info["userIdList"] = JSONWriter.bytes { json in
            json.array { json in for user in entry.mentions { json.string(user.text) } }
        }
        content.set("mentionedInfo", info)
        return content
    }
}
