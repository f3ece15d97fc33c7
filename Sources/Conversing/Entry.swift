internal import JSON
package import Vocabulary

/// One thing that happened in a conversation, and its place there: `number` counts without a gap, from 1.
package struct Entry: Hashable, Sendable {
    package enum Sort: Int, Hashable, Sendable, CaseIterable {
        case message = 0
        case edited, recalled, reacted
        case created, joined, left, removed, renamed, role, silenced, dissolved
        case pinned, unpinned
    }

    package let number: UInt64
    /// How many messages there are up to here: the difference of two of them is what is unread.
    package let counted: UInt64
    package let sort: Sort
    package let sender: UserID
    package let time: WallTime
    /// The sender's own name for it.
    package var client: MessageID?
    /// Of a message only.
    package var kind: MessageKind?
    /// The message it answers, changes or takes back.
    package var target: UInt64?
    package var mentions: [UserID] = []
    package var isForwarded = false
    /// One JSON object; nothing when there is nothing to say, or when it was taken back.
    package var body: [UInt8]?
    package var edited: WallTime?
    package var isRecalled = false
    package var reactions: [ReactionTally] = []
    /// The entry that pinned it.
    package var pinned: UInt64?

    package init(number: UInt64, counted: UInt64, sort: Sort, sender: UserID, time: WallTime) {
        self.number = number
        self.counted = counted
        self.sort = sort
        self.sender = sender
        self.time = time
    }

    /// About how many bytes it takes to tell it, so that an answer stays within what waits for one client.
    package var size: Int {
        let names = self.mentions.reduce(0) { $0 + $1.text.utf8.count + 3 }
        return 400 + names + (self.body?.count ?? 0) + self.reactions.reduce(0) { $0 + $1.size }
    }
}

/// Which entries of a conversation are asked for.
package enum EntryRange: Hashable, Sendable {
    /// The latest ones before a number, or of all.
    case before(UInt64?)
    case after(UInt64)
    /// Messages that are pinned, the latest pin first.
    case pinned

    package init(before: UInt64?, after: UInt64?) { self = after.map { .after($0) } ?? .before(before) }
}

/// Who put the same sign under a message.
package struct ReactionTally: Hashable, Sendable {
    package let reaction: String
    package var users: [UserID]

    package init(_ reaction: String, _ users: [UserID]) {
        self.reaction = reaction
        self.users = users
    }

    var size: Int { 30 + 2 * self.reaction.utf8.count + self.users.reduce(0) { $0 + $1.text.utf8.count + 3 } }
}

extension Entry.Sort {
    /// As clients read it.
    package var word: String {
        switch self {
        case .message: "message"
        case .edited: "edited"
        case .recalled: "recalled"
        case .reacted: "reacted"
        case .created: "created"
        case .joined: "joined"
        case .left: "left"
        case .removed: "removed"
        case .renamed: "renamed"
        case .role: "role"
        case .silenced: "silenced"
        case .dissolved: "dissolved"
        case .pinned: "pinned"
        case .unpinned: "unpinned"
        }
    }
}

/// Whom an entry brought in or let go, read from the entry itself.
extension Entry {
    package var arrivals: [UserID] {
        switch self.sort {
        case .created, .joined: self.said("users", JSONType<String>.text.map { UserID($0) }.list()) ?? []
        default: []
        }
    }

    package var departure: UserID? {
        switch self.sort {
        case .left: self.sender
        case .removed: self.said("user", JSONType<String>.text.map { UserID($0) })
        default: nil
        }
    }

    private func said<Value>(_ name: String, _ type: JSONType<Value>) -> Value? {
        guard let body = self.body else { return nil }
        return JSONObject(proven: body.span)[name, type]
    }
}

/// What entries say that are not messages.
enum EntryBody {
    static func users(_ users: [UserID], title: DisplayName? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.optional("title", title?.text)
            json.array("users", of: users) { $0.string($1.text) }
        }
    }

    static func user(_ user: UserID, role: Role? = nil, until: WallTime? = nil) -> [UInt8] {
        JSONWriter.object { json in
            json.field("user", user.text)
            json.optional("role", role?.word)
            json.optional("until", until?.milliseconds)
        }
    }

    static func title(_ title: DisplayName) -> [UInt8] { JSONWriter.object { $0.field("title", title.text) } }

    static func reaction(_ reaction: Reaction, isOn: Bool) -> [UInt8] {
        JSONWriter.object { json in
            json.field("reaction", reaction.text)
            json.field("on", isOn)
        }
    }
}
