import Client
import Identity
import Journal
import System
import Vocabulary

/// Entries as people read them in a terminal.
struct ChatText {
    /// What people are called; others go by their ids.
    var names: [UserID: String] = [:]
    /// Entries of this day have no date.
    var today = LocalTime(secondsSince1970: Timekeeper.system.wall().seconds)

    /// One line for most; a long text has more. Nothing in them moves the cursor.
    ///
    /// - Parameter goesOn: whether the same person has just spoken, whose name need not be said again.
    func lines(of entry: ChatEntry, goesOn: Bool = false) -> [String] {
        let head = "\(self.clock(entry.time)) \(self.name(of: entry.from))"
        guard entry.type == "message" else { return ["\(head) \(self.action(of: entry))"] }
        let first = goesOn ? Self.indent : "\(head): "
        return Self.words(of: entry).split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            ($0.offset == 0 ? first : Self.indent) + $0.element
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
        case "call": return "[\(self.call(body))]"
        case "image", "voice", "video", "file", "notice", "card", "mixed":
            return "[\(entry.kind ?? "")] \(PlainText.line(body?.text("name") ?? body?.text("title") ?? ""))"
        case let kind: return "[\(PlainText.line(kind)): not supported here, please upgrade]"
        }
    }

    private static func call(_ body: RawJSON?) -> String {
        let kind = body?.text("kind") == "video" ? "video call" : "call"
        switch body?.text("outcome") {
        case "completed":
            let seconds = body?.integer("seconds") ?? 0
            return "\(kind), \(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        case "declined": return "\(kind), declined"
        case "busy": return "\(kind), busy"
        case "noAnswer", "cancelled", "offline": return "missed \(kind)"
        case "failed", "lost": return "\(kind), connection lost"
        default: return kind
        }
    }

    private func action(of entry: ChatEntry) -> String {
        let target = entry.target.map { " \($0)" } ?? ""
        switch entry.type {
        case "edited": return "changed\(target): \(PlainText.line(entry.body?.text("text") ?? ""))"
        case "recalled": return "took back\(target)"
        case "reacted": return "\(PlainText.line(entry.body?.text("reaction") ?? "reacted"))\(target)"
        case "pinned", "unpinned": return "\(entry.type)\(target)"
        case "created": return "started the conversation"
        case "joined": return entry.named == [entry.from] ? "joined" : "added \(self.names(of: entry.named))"
        case "left": return "left"
        case "removed": return "removed \(self.names(of: entry.named))"
        case "renamed": return "renamed it to \(PlainText.line(entry.body?.text("title") ?? ""))"
        case "role": return "made \(self.names(of: entry.named)) \(PlainText.line(entry.body?.text("role") ?? ""))"
        case "silenced": return "silenced \(self.names(of: entry.named))"
        case "dissolved": return "closed the group"
        default: return PlainText.line(entry.type)
        }
    }

    func name(of user: UserID) -> String { PlainText.line(self.names[user] ?? user.text) }

    private func names(of users: [UserID]) -> String { users.map { self.name(of: $0) }.joined(separator: ", ") }

    /// As the clocks here show it, with the date of another day.
    private func clock(_ time: WallTime) -> String {
        let local = LocalTime(secondsSince1970: time.seconds)
        return local.isSameDay(as: self.today) ? local.clock : "\(local.date) \(local.clock)"
    }
}

extension ChatEntry {
    /// Those whom it is about, beside its sender.
    var named: [UserID] {
        let users = (self.body?.list("users") ?? []).compactMap { $0.string.flatMap { UserID($0) } }
        return users + [self.body?.text("user").flatMap { UserID($0) }].compactMap(\.self)
    }
}
