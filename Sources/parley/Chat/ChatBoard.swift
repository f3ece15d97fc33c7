import Client
import Vocabulary

/// What a terminal knows of the conversation it shows, and of the others.
struct ChatBoard {
    /// What to do about something that was said.
    struct Hearing {
        var lines: [String] = []
        /// It is on the screen: up to here it was read.
        var read: UInt64?
        /// Something between this number and the new one is not here.
        var missing: UInt64?
    }

    let target: ChatTarget
    private(set) var conversation: ConversationID?
    /// The other one of a direct conversation.
    private(set) var peer: UserID?
    /// The number before which nothing was shown.
    private(set) var oldest: UInt64?
    /// Of one's own messages, for /recall.
    private(set) var lastOwn: UInt64?
    private(set) var failed: [MessageID] = []
    private var inbox: Inbox
    private var latest = LatestEntries()
    private var run: SenderRun?
    /// Up to where the other one has read, as far as that was said.
    private var saidRead: UInt64 = 0
    private var names: [UserID: String] = [:]
    /// Of more users the names are forgotten and asked for again.
    private static let maximumNames = 10_000
    /// Typed here, so they are on the screen already.
    private var typed: Set<MessageID> = []

    init(_ target: ChatTarget, _ conversation: ConversationID?, of user: UserID) {
        self.target = target
        self.conversation = conversation
        self.inbox = Inbox(of: user)
        self.inbox.opened(conversation)
        if case .user(let peer) = target { self.peer = peer }
    }

    /// From where on more is asked for after a break.
    var position: [ConversationID: UInt64] {
        guard let id = self.conversation, self.latest.last > 0 else { return [:] }
        return [id: self.latest.last]
    }

    /// A direct conversation may only begin with what the other one says.
    mutating func isHere(_ id: ConversationID, _ user: UserID) -> Bool {
        if self.conversation == nil, self.target == .user(user) { self.open(id) }
        return self.conversation == id
    }

    private mutating func open(_ id: ConversationID) {
        self.conversation = id
        self.inbox.opened(id)
    }
}

// MARK: - Who is who

extension ChatBoard {
    func strangers(among entries: [ChatEntry]) -> [UserID] {
        let users =
            entries.flatMap { [$0.from] + ($0.type == "message" ? [] : $0.named) } + [self.peer].compactMap(\.self)
        return Array(Set(users.filter { self.names[$0] == nil }).prefix(100))
    }

    mutating func learned(_ users: [UserID], _ profiles: [ProfileView]) {
        if self.names.count + users.count > Self.maximumNames { self.names = [:] }
        for user in users { self.names[user] = user.text }
        // A server may tell of users nobody asked for.
        for profile in profiles where self.names[profile.user] != nil {
            self.names[profile.user] = profile.name ?? profile.user.text
        }
    }

    /// Nil for a user who has not been here.
    mutating func renamed(_ profile: ProfileView) -> String? {
        let name = profile.name ?? profile.user.text
        guard let old = self.names[profile.user], old != name else { return nil }
        self.names[profile.user] = name
        return "— \(PlainText.line(old)) is called \(PlainText.line(name)) now —"
    }

    private func name(of user: UserID) -> String { self.names[user] ?? user.text }

    private var text: ChatText { ChatText(names: self.names) }
}

// MARK: - What was said

extension ChatBoard {
    /// What a sync brought.
    mutating func took(_ pieces: [(view: ChatView, entries: [ChatEntry], remaining: Int)]) -> Hearing {
        var hearing = Hearing()
        for piece in pieces {
            self.inbox.took(piece.view)
            guard piece.view.id == self.conversation else { continue }
            self.peer = piece.view.peer ?? self.peer
            for entry in self.latest.took(piece.entries) { hearing.lines += self.lines(of: entry) }
            hearing.read = piece.entries.last?.number
            if self.oldest == nil { self.oldest = piece.entries.first?.number }
        }
        return hearing
    }

    /// What was said before.
    mutating func took(older page: ChatPage) -> [String] {
        self.oldest = page.entries.first?.number ?? self.oldest
        let start = page.hasMore ? [] : ["— the beginning —"]
        let text = self.text
        return SenderRuns(page.entries).runs.reduce(into: start) { lines, run in
            for (place, entry) in run.entries.enumerated() { lines += text.lines(of: entry, goesOn: place > 0) }
        }
    }

    /// Each with its number, by which it can be taken off.
    func pinned(_ entries: [ChatEntry]) -> [String] {
        guard !entries.isEmpty else { return ["— nothing is pinned —"] }
        return entries.flatMap { entry in ["— \(entry.number) —"] + self.text.lines(of: entry) }
    }

    mutating func heard(_ entry: ChatEntry) -> Hearing {
        let before = self.inbox.elsewhere.messages
        self.inbox.heard(entry)
        guard self.isHere(entry.conversation, entry.from) else {
            return Hearing(lines: self.inbox.elsewhere.messages > before ? [self.elsewhere] : [])
        }
        switch self.latest.added(entry) {
        case .known: return Hearing()
        case .missing(let number): return Hearing(missing: number)
        case .added:
            if self.oldest == nil { self.oldest = entry.number }
            return Hearing(lines: self.lines(of: entry), read: entry.number)
        }
    }

    /// What waits in other conversations.
    var elsewhere: String {
        let (messages, conversations) = self.inbox.elsewhere
        let count = messages > 99 ? "99+" : "\(messages)"
        return "— \(count) unread in \(conversations) other conversation\(conversations == 1 ? "" : "s") —"
    }

    var hasUnreadElsewhere: Bool { self.inbox.elsewhere.messages > 0 }

    mutating func heard(_ receipt: ChatReceipt) -> String? {
        self.inbox.heard(receipt)
        guard receipt.conversation == self.conversation, let own = self.lastOwn, own <= receipt.read,
            receipt.user == self.peer || self.peer == nil, self.saidRead < own
        else { return nil }
        // Once for all that was said by then.
        self.saidRead = own
        return "\(ChatText.indent)✓✓ read by \(PlainText.line(self.name(of: receipt.user)))"
    }

    func typing(_ user: UserID) -> String {
        "\(ChatText.indent)\(PlainText.line(self.name(of: user))) is typing …"
    }

    private mutating func lines(of entry: ChatEntry) -> [String] {
        let goesOn = self.run?.goesOn(with: entry) ?? false
        self.run = SenderRun(entry)
        if let client = entry.client, self.typed.remove(client) != nil { return [] }
        return self.text.lines(of: entry, goesOn: goesOn)
    }
}

// MARK: - What one says

extension ChatBoard {
    mutating func said(_ id: MessageID) { self.typed.insert(id) }

    mutating func sent(_ outcome: ChatOutcome) {
        self.open(outcome.conversation)
        self.lastOwn = max(self.lastOwn ?? 0, outcome.number)
    }

    /// Whether it was given up before.
    mutating func sent(_ id: MessageID, _ outcome: ChatOutcome) -> Bool {
        self.sent(outcome)
        let isLate = self.failed.contains(id)
        self.failed.removeAll { $0 == id }
        return isLate
    }

    /// It can be said again, unless too many others have failed since.
    mutating func failed(_ id: MessageID) {
        self.failed = self.failed.suffix(OutgoingMessages.maximumFailed - 1) + [id]
    }

    /// Those that are said once more.
    mutating func takeFailed() -> [MessageID] {
        defer { self.failed = [] }
        return self.failed
    }
}
