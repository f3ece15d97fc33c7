import Client
import Journal
import Vocabulary

/// Entries as people read them in a terminal.
enum ChatText {
    /// One line for most; a long text has more. Nothing in them moves the cursor.
    ///
    /// - Parameters:
    ///   - name: what the sender is called; their id when no name is known.
    ///   - goesOn: whether the same person has just spoken, whose name need not be said again.
    static func lines(of entry: ChatEntry, by name: String? = nil, goesOn: Bool = false) -> [String] {
        let head = "\(self.clock(entry.time)) \(PlainText.line(name ?? entry.from.text))"
        guard entry.type == "message" else { return ["\(head) \(self.deed(of: entry))"] }
        let first = goesOn ? self.indent : "\(head): "
        return self.words(of: entry).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            ($0.offset == 0 ? first : self.indent) + $0.element
        }
    }

    /// As wide as the time and a space.
    static let indent = "      "

    /// What a message says, or in brackets what it is.
    static func words(of entry: ChatEntry) -> String {
        if entry.isRecalled { return "[taken back]" }
        let body = entry.body
        switch entry.kind ?? "text" {
        case "text": return PlainText.of(body?.text("text") ?? "", keepsLines: true)
        case "location": return "[location] \(PlainText.line(body?.text("name") ?? ""))"
        case "image", "voice", "video", "file", "call", "notice", "card", "mixed":
            return "[\(entry.kind ?? "")] \(PlainText.line(body?.text("name") ?? body?.text("title") ?? ""))"
        case let kind: return "[\(PlainText.line(kind)): not supported here, please upgrade]"
        }
    }

    private static func deed(of entry: ChatEntry) -> String {
        let target = entry.target.map { " \($0)" } ?? ""
        switch entry.type {
        case "edited": return "changed\(target): \(PlainText.line(entry.body?.text("text") ?? ""))"
        case "recalled": return "took back\(target)"
        case "reacted": return "\(PlainText.line(entry.body?.text("reaction") ?? "reacted"))\(target)"
        case "pinned", "unpinned": return "\(entry.type)\(target)"
        case "created": return "began the conversation"
        case "joined": return "brought in \(self.names(entry.body))"
        case "removed": return "sent away \(PlainText.line(entry.body?.text("user") ?? ""))"
        case "renamed": return "calls it \(PlainText.line(entry.body?.text("title") ?? ""))"
        default: return PlainText.line(entry.type)
        }
    }

    private static func names(_ body: RawJSON?) -> String {
        PlainText.line((body?.list("users") ?? []).compactMap(\.string).joined(separator: ", "))
    }

    /// Hours and minutes of UTC.
    private static func clock(_ time: WallTime) -> String {
        let minutes = (time.seconds / 60) % 1440
        let text = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(text(minutes / 60)):\(text(minutes % 60))"
    }
}
