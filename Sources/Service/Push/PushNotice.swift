internal import JSON

/// What a device's system shows of a push.
struct PushNotice: Hashable {
    let title: String
    let body: String

    private init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// What everybody on the way may read of a push that only its device can open; nil where there is nothing to show.
    static func sealed(_ type: String?, in language: String?) -> PushNotice? {
        guard let words = PushText(sealed: type)?.text(in: .init(language)) else { return nil }
        return PushNotice(title: words, body: words)
    }

    /// Nil where there is nothing to show.
    /// - Parameter message: a JSON object, with the words of the device's language.
    init?(_ message: [UInt8]) {
        let form = JSONObject(proven: message.span)
        let (name, title) = (form["name", .text], form["title", .text])
        let said = form["text", .text]
        let words = said ?? form["words", .text] ?? ""
        switch form["type", .text] {
        case "message":
            self.title = title ?? name ?? words
            self.body = if let name, title != nil { "\(name): \(words)" } else { words }
        case "call", "test":
            self.title = name ?? words
            self.body = words
        case "announcement":
            // What is for the device's program alone is not shown.
            guard let said else { return nil }
            self.title = title ?? ""
            self.body = said
        default: return nil
        }
    }
}
