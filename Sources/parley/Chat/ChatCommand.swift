import Arguments
import Client
import Locking
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `parley chat`
struct ChatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "chat",
        abstract: "Talk in a terminal; without a conversation, see where there is something new.",
        discussion: """
            Shows the latest messages and then what comes, and sends every line that is typed. /file PATH sends a \
            file, /recall takes the last message back, /older shows what was said before, /quit ends. When standard \
            input is no terminal every line of it is sent and the command ends when all are kept.
            """,
        examples: [
            .init("parley chat --token $TOKEN", "One's conversations."),
            .init("parley chat @alice --token $TOKEN", "With Alice."),
            .init("tail -n 3 build.log | parley chat team --token $TOKEN", "From another program."),
        ],
        exitCodes: [
            .init(.success, "That was it."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers there."), .init(.failure, "The server said no."),
        ]
    )

    @Argument(help: "With whom or where.")
    var target: ChatTarget?

    @OptionGroup var client: ClientOptions

    mutating func run() throws -> ExitCode {
        let target = self.target
        let isPiped = isatty(STDIN_FILENO) == 0
        try self.client.run { client throws(CommandFailure) in
            guard let target else { return try await Self.list(client) }
            if isPiped { return try await Self.pipe(client, target) }
            try await ChatScreen(client, target).run()
        }
        return .success
    }

    private static func list(_ client: ParleyClient) async throws(CommandFailure) {
        let views = try await client.asking { client throws(ClientError) in try await client.conversations() }
        for view in views {
            let name = view.title ?? view.peer.map { "@\($0.text)" } ?? view.id.text
            let unread = view.unread == 0 ? "" : view.unread > 99 ? "(99+) " : "(\(view.unread)) "
            let words = view.latest.map { ChatText.words(of: $0) } ?? ""
            let kept = view.retentionDays.map { ", kept for \($0) days" } ?? ""
            print("\(view.id.text)  \(unread)\(ChatText.plain(name))\(kept): \(words.prefix { $0 != "\n" })")
        }
    }

    private static func pipe(_ client: ParleyClient, _ target: ChatTarget) async throws(CommandFailure) {
        while let line = readLine() {
            guard !line.isEmpty else { continue }
            _ = try await client.asking { client throws(ClientError) in try await client.send(text: line, to: target) }
        }
    }
}

/// A conversation on a terminal: one task prints what comes, the other sends what is typed.
struct ChatScreen: Sendable {
    private let client: ParleyClient
    private let target: ChatTarget
    private let place = Locked(Place())

    private struct Place {
        var conversation: ConversationID?
        var oldest: UInt64?
        var latest: UInt64 = 0
        /// Of one's own messages, for /recall.
        var own: UInt64?
    }

    init(_ client: ParleyClient, _ target: ChatTarget) {
        self.client = client
        self.target = target
    }

    func run() async throws(CommandFailure) {
        let conversation = try await self.client.find(self.target)
        self.place.withLock { $0.conversation = conversation }
        if conversation != nil { try await self.showOlder() }
        _ = try await self.client.asking { client throws(ClientError) in try await client.sync() }
        let listening = Task { await self.listen() }
        defer { listening.cancel() }
        for await line in Self.lines() {
            guard try await self.typed(line) else { return }
        }
    }

    /// What is typed, read by a thread that may wait for it.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            let reader = LineReaderThread {
                continuation.yield($0)
            } ended: {
                continuation.finish()
            }
            reader.start()
        }
    }

    /// False when that was it.
    private func typed(_ line: String) async throws(CommandFailure) -> Bool {
        switch line {
        case "": return true
        case "/quit": return false
        case "/older":
            try await self.showOlder()
            return true
        case "/recall":
            let (id, own) = self.place.withLock { ($0.conversation, $0.own) }
            guard let id, let own else { return true }
            _ = try await self.client.asking { client throws(ClientError) in try await client.recall(own, in: id) }
            return true
        case _ where line.hasPrefix("/file "):
            await self.sendFile(String(line.dropFirst("/file ".count)))
            return true
        default:
            self.sent(
                try await self.client.asking { client throws(ClientError) in
                    try await client.send(text: line, to: self.target)
                })
            return true
        }
    }

    private func sent(_ outcome: ChatOutcome) {
        self.place.withLock { place in
            place.conversation = outcome.conversation
            place.own = outcome.number
        }
    }

    /// A wrong path ends no conversation.
    private func sendFile(_ path: String) async {
        do throws(CommandFailure) {
            self.sent(try await FileSending(self.client, to: self.target).send(path))
        } catch {
            Terminal.complain("not sent: \(error)")
        }
    }

    private func showOlder() async throws(CommandFailure) {
        let (id, oldest) = self.place.withLock { ($0.conversation, $0.oldest) }
        guard let id else { return }
        let page = try await self.client.asking { client throws(ClientError) in
            try await client.history(of: id, before: oldest)
        }
        for entry in page.entries { ChatText.lines(of: entry).forEach { print($0) } }
        if !page.hasMore { print("— the beginning —") }
        self.place.withLock { place in
            place.oldest = page.entries.first?.number ?? place.oldest
            place.latest = max(place.latest, page.entries.last?.number ?? 0)
        }
        if let last = page.entries.last { await self.read(last) }
    }

    private func listen() async {
        for await event in self.client.events {
            switch event {
            case .entry(let entry) where self.isHere(entry.conversation, entry.from):
                ChatText.lines(of: entry).forEach { print($0) }
                await self.read(entry)
            case .typing(let typing) where typing.isOn && self.isHere(typing.conversation, typing.user):
                print("      \(typing.user.text) is typing …")
            case .receipt(let receipt) where self.isOwnLatest(receipt):
                print("      ✓ \(receipt.user.text) has read it")
            case .disconnected(let failure, _): print("— away: \(failure) —")
            // A fresh connection hears nothing until it asks.
            case .connected: _ = try? await self.client.sync()
            default: break
            }
        }
    }

    /// A direct conversation may only begin with what the other one says.
    private func isHere(_ id: ConversationID, _ user: UserID) -> Bool {
        self.place.withLock { place in
            if place.conversation == nil, self.target == .user(user) { place.conversation = id }
            return place.conversation == id
        }
    }

    private func isOwnLatest(_ receipt: ChatReceipt) -> Bool {
        self.place.withLock { $0.conversation == receipt.conversation && $0.own.map { $0 <= receipt.read } ?? false }
    }

    /// What is on the screen was read; that nobody heard so is made good by the next one.
    private func read(_ entry: ChatEntry) async {
        do throws(ClientError) {
            try await self.client.markRead(entry.number, in: entry.conversation)
        } catch {
            Terminal.complain("not marked as read: \(error)")
        }
    }
}
