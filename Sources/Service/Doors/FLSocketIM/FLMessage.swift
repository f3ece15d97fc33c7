internal import Bytes
internal import Conversing
internal import FileTypes
internal import Hashing
internal import JSON
internal import Keeping
internal import Vocabulary

/// A message as FLSocketIM's apps write it, and the same in Parley's form.
///
/// What their server would keep stays in the body under `fl`, so that their apps get back every field they sent.
struct FLMessage {
    /// As the apps get it, without bytes and without the server's time.
    private(set) var object: LooseObject
    private(set) var bodies: LooseObject
    let to: String

    static let member = "fl"

    /// Nil for what no app would send.
    init?(_ object: LooseObject) {
        guard let to = object.text("to_user"), let bodies = object.object("bodies"), bodies.text("type") != nil else {
            return nil
        }
        self.object = object
        self.bodies = bodies
        self.to = to
        self.bodies["fileData"] = nil
    }

    var type: String { self.bodies.text("type") ?? "" }

    /// Who says it is known by the line, whatever the message claims.
    mutating func sign(by name: String, id: String) {
        self.object.set("from_user", name)
        self.object.set("msg_id", id)
    }

    /// What tells one message of an app from another: resent, it has the same local time.
    func clientID(to user: UserID) -> MessageID? {
        guard let time = self.object.integer("sendtime") ?? self.object.integer("sendTime"), time > 0 else {
            return nil
        }
        let hash = Hex.encode(Digest.sha256.hash("\(user.text) \(self.type)").prefix(8))
        return MessageID("fl:\(time):\(hash)")
    }

    mutating func attach(_ file: FileRecord) {
        let paths = FLPaths(file, for: self.type)
        self.bodies.set("fileRemotePath", paths.file)
        guard self.type == "img" else { return }
        self.bodies.set("thumbnailRemotePath", paths.thumbnail)
        guard let picture = file.picture else { return }
        var size = LooseObject()
        size.set("width", picture.width)
        size.set("height", picture.height)
        self.bodies.set("size", size)
    }

    /// The same for every client.
    func draft(showing file: FLFile?) -> Draft {
        var body = LooseObject()
        let kind: MessageKind
        switch (self.type, file) {
        case ("txt", _):
            kind = .text
            body.set("text", self.bodies.text("msg") ?? "")
        case ("img", let file?), ("audio", let file?):
            kind = self.type == "img" ? .image : .voice
            body.set("file", file.record.id.text)
            if let duration = self.bodies.integer("duration") { body.set("duration", duration) }
        case ("loc", let file):
            kind = .location
            for (theirs, ours) in [
                ("latitude", "latitude"), ("longitude", "longitude"), ("locationName", "name"),
                ("detailLocationName", "detail"),
            ] { body[ours] = self.bodies[theirs] }
            if let file { body.set("file", file.record.id.text) }
        default: kind = .custom
        }
        body.set(Self.member, self.kept)
        return Draft(kind, MessageBody(proven: body.json))
    }

    private var kept: LooseObject {
        var kept = self.object
        kept["timestamp"] = nil
        kept.set("bodies", self.bodies)
        return kept
    }
}

/// A file that an app has brought, and what goes with it to the others at once.
struct FLFile {
    let record: FileRecord
}

/// Where apps find files: below folders that look as they know them.
struct FLPaths {
    let file: String
    let thumbnail: String

    static let folders = ["img": "images/chatImages", "audio": "audios", "loc": "images/mapImages"]

    init(_ file: FileRecord, for type: String) {
        let folder = Self.folders[type] ?? "images"
        let suffix = type == "loc" ? "PNG" : file.type.suffix
        self.file = "\(folder)/\(file.id.text).\(suffix)"
        let small = file.type == .jpeg ? "jpg" : "png"
        self.thumbnail = file.thumbnail == nil ? self.file : "\(folder)/s_\(file.id.text).\(small)"
    }

    /// The file of a path's last part, and whether the small picture is meant.
    static func file(named name: String) -> (id: FileID, isSmall: Bool)? {
        let stem = name.prefix { $0 != "." }
        // An id may begin with these two letters as well.
        if let id = FileID(String(stem)) { return (id, false) }
        guard stem.hasPrefix("s_") else { return nil }
        return FileID(String(stem.dropFirst(2))).map { ($0, true) }
    }
}
