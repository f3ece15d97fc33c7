internal import JSON
internal import Vocabulary

/// What a message is, in a word. The server knows some of them; a word it does not know is kept as it is, and clients
/// that do not know it either say so to whoever reads.
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
    package static let custom = MessageKind(known: "custom")
}

/// What is said, in the very bytes it came in: one JSON object.
package struct MessageBody: Hashable, Sendable {
    package let json: [UInt8]

    /// - Parameter json: one sound JSON object.
    package init(proven json: [UInt8]) { self.json = json }

    /// The words in it that somebody may search for.
    package var words: String {
        let reader = JSONReader(self.json.span)
        guard let object = try? reader.document() else { return "" }
        return Self.searched.compactMap { reader.member($0, of: object).flatMap { reader.string($0) } }
            .joined(separator: "\n")
    }

    private static let searched = ["text", "title", "name", "detail"]

    /// Whether a message of this kind has in it what makes it one.
    package func suits(_ kind: MessageKind) -> Bool {
        guard kind == .text else { return true }
        let reader = JSONReader(self.json.span)
        guard let object = try? reader.document(), let value = reader.member("text", of: object),
            let text = reader.string(value)
        else { return false }
        return !text.isEmpty
    }
}
