internal import JSON
package import Vocabulary

/// What a message is, in a word. The server knows some of them; a word it does not know is kept as it is, and clients
/// that do not know it either say so to their user.
package struct MessageKind: Hashable, Sendable {
    package let text: String

    package static let maximumLength = 64

    /// 1 to 64 of the characters of a `UserID`.
    package init?(_ text: String) {
        guard let name = MessageID(text) else { return nil }
        self.text = name.text
    }

    private init(known text: String) { self.text = text }

    package static let text = MessageKind(known: "text")
    package static let image = MessageKind(known: "image")
    package static let voice = MessageKind(known: "voice")
    package static let video = MessageKind(known: "video")
    package static let file = MessageKind(known: "file")
    package static let location = MessageKind(known: "location")
    package static let card = MessageKind(known: "card")
    package static let mixed = MessageKind(known: "mixed")
    package static let call = MessageKind(known: "call")
    package static let notice = MessageKind(known: "notice")
    package static let emotion = MessageKind(known: "emotion")
    package static let custom = MessageKind(known: "custom")

    /// Those that every program knows.
    package static let common: [MessageKind] = [
        .text, .image, .voice, .video, .file, .location, .card, .mixed, .call, .notice, .emotion, .custom,
    ]

    /// Whether it is about one file that was brought here.
    package var isOneFile: Bool { [.image, .voice, .video, .file].contains(self) }
    package var showsFiles: Bool { self.isOneFile || self == .mixed || self == .location }
}

/// What is said, in the very bytes it came in: one JSON object.
package struct MessageBody: Hashable, Sendable {
    package let json: [UInt8]

    /// - Parameter json: one sound JSON object.
    package init(proven json: [UInt8]) { self.json = json }

    /// The words in it that can be searched for.
    package var words: String {
        let body = JSONObject(proven: self.json.span)
        return Self.searched.compactMap { body[$0, .text] }.joined(separator: "\n")
    }

    /// What a notification says in the place of its words.
    package var alert: String? { JSONObject(proven: self.json.span)["alert", .text] }

    private static let searched = ["text", "title", "name", "detail"]

    /// The same body with other words in it.
    func replacingWords(_ replace: (String) -> String) -> MessageBody {
        let object = JSONObject(proven: self.json.span)
        let json = JSONWriter.object { json in
            for member in object.members {
                let name = object.name(of: member)
                if Self.searched.contains(name), let text = object.reader.string(member.value) {
                    json.field(name, replace(text))
                } else {
                    json.field(name, raw: object.reader.raw(member.value))
                }
            }
        }
        return MessageBody(proven: json)
    }

    /// More of what a body names are no files to the server.
    package static let maximumFiles = 20

    /// The files that it shows: `file` of what is one, or of a place with its picture; `files` of what is mixed.
    package func files(as kind: MessageKind?) -> [FileID] {
        guard let kind, kind.showsFiles else { return [] }
        let body = JSONObject(proven: self.json.span)
        if kind != .mixed { return body["file", .text].flatMap { FileID($0) }.map { [$0] } ?? [] }
        guard let list = body.value("files") else { return [] }
        var (files, elements) = ([FileID](), body.reader.elements(of: list))
        while files.count < Self.maximumFiles, let value = elements.next() {
            if let id = body.reader.string(value).flatMap({ FileID($0) }) { files.append(id) }
        }
        return files
    }

    /// Whether a message of this kind has in it what makes it one.
    package func suits(_ kind: MessageKind) -> Bool {
        if kind.isOneFile { return self.files(as: kind).count == 1 }
        guard kind == .text else { return true }
        return JSONObject(proven: self.json.span)["text", .text]?.isEmpty == false
    }
}
