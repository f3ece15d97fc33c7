import Arguments
import Client
import JSON
import System
import Vocabulary

/// A conversation on a terminal: one task prints what comes, the other sends what is typed.
struct ChatScreen: Sendable {
    private let client: ParleyClient
    private let target: ChatTarget
    private let caller: String
    private let lines = MarkedLines()

    /// As many as fit on a screen.
    private static let newest = 25

    /// - Parameter caller: how a command line says who one is.
    init(_ client: ParleyClient, _ target: ChatTarget, caller: String) {
        self.client = client
        self.target = target
        self.caller = caller
    }

    func run() async throws(CommandFailure) {
        let conversation = try await self.client.find(self.target)
        let own = try await self.client.asking { client throws(ClientError) in try await client.ownProfile() }
        let board = Locked(ChatBoard(self.target, conversation, of: own.user))
        try await self.client.asking { _ throws(ClientError) in try await self.catchUp(board) }
        if board.withLock(\.hasUnreadElsewhere) { self.lines.print([board.withLock(\.elsewhere)]) }
        let (typed, continuation) = AsyncStream.makeStream(of: String.self)
        let editor = LineEditor(self.lines)
        defer { editor?.stop() }
        self.read(editor, into: continuation)
        let listening = Task { () -> LinkFailure? in
            let failure = await self.listen(board)
            // Nothing that is typed now could be said.
            continuation.finish()
            return failure
        }
        defer { listening.cancel() }
        for await line in typed {
            guard try await self.typed(line, board) else { return await self.lines.settle() }
        }
        await self.lines.settle()
        guard self.lines.isClosed, let failure = await listening.value else { return }
        throw CommandFailure("the connection to the server ended: \(failure)", exitCode: .unavailable)
    }

    /// What is typed, by a thread that may wait for it.
    private func read(_ editor: LineEditor?, into lines: AsyncStream<String>.Continuation) {
        if let editor {
            editor.start {
                lines.yield($0)
            } ended: {
                lines.finish()
            }
            return
        }
        let reader = LineReaderThread {
            lines.yield($0)
        } ended: {
            lines.finish()
        }
        reader.start()
    }
}

// MARK: - What is typed

extension ChatScreen {
    /// False when that was it.
    private func typed(_ line: String, _ board: Locked<ChatBoard>) async throws(CommandFailure) -> Bool {
        switch line {
        case "": break
        case "/help": self.lines.print(Self.commands)
        case "/quit": return false
        case "/older": try await self.showOlder(board)
        case "/again": for id in board.withLock({ $0.takeFailed() }) { try self.say { $0.postAgain(id) } }
        case "/call": self.lines.print([self.callAdvice(board.withLock(\.peer))])
        case "/recall":
            let (id, own) = board.withLock { ($0.conversation, $0.lastOwn) }
            guard let id, let own else { break }
            _ = try await self.client.asking { client throws(ClientError) in try await client.recall(own, in: id) }
        case "/pins": try await self.showPins(board)
        case _ where line.hasPrefix("/pin "): try await self.pin(line.dropFirst("/pin ".count), true, board)
        case _ where line.hasPrefix("/unpin "): try await self.pin(line.dropFirst("/unpin ".count), false, board)
        case _ where line.hasPrefix("/file "): await self.sendFile(String(line.dropFirst("/file ".count)), board)
        // A text may begin so.
        case _ where line.hasPrefix("//"): try self.send(String(line.dropFirst()), board)
        case _ where line.hasPrefix("/"):
            let word = PlainText.line(String(line.prefix { $0 != " " }))
            self.lines.print([
                "— \(word) is not a command and was not sent; /help lists the commands, /\(word) sends it as text —"
            ])
        default: try self.send(line, board)
        }
        return true
    }

    private static let commands = [
        "— /help           this list",
        "  /older          earlier messages",
        "  /file PATH      send a file",
        "  /recall         take your last message back",
        "  /again          send again what was not sent",
        "  /pin N, /unpin N, /pins",
        "                  keep message N at hand, or no longer; list what is pinned",
        "  /call           how to call the other person",
        "  /quit           end (Control-D does, too)",
        "  //text          send a text that begins with /",
    ]

    private func send(_ text: String, _ board: Locked<ChatBoard>) throws(CommandFailure) {
        var random = SystemRandomNumberGenerator()
        guard let id = MessageID(RandomToken(using: &random).text) else { return }
        let body = RawJSON { json in
            json.field("text", text)
        }
        board.withLock { $0.said(id) }
        let target = board.withLock { $0.conversation.map { .conversation($0) } ?? self.target }
        try self.say { $0.post(OutgoingMessage(body, to: target, as: id)) }
    }

    private func say(_ work: (ParleyClient) -> Void) throws(CommandFailure) {
        guard self.lines.began() else { throw CommandFailure("the server has ended the session") }
        work(self.client)
    }

    /// A wrong path ends no conversation.
    private func sendFile(_ path: String, _ board: Locked<ChatBoard>) async {
        guard self.lines.began() else { return }
        do throws(CommandFailure) {
            let outcome = try await FileSending(self.client, to: self.target).send(path)
            board.withLock { $0.sent(outcome) }
            self.lines.ended("✓")
        } catch {
            self.lines.ended("✗ not sent: \(error)")
        }
    }

    private func pin(_ words: Substring, _ isOn: Bool, _ board: Locked<ChatBoard>) async throws(CommandFailure) {
        guard let number = UInt64(words), let id = board.withLock(\.conversation) else {
            return self.lines.print(["— /pin and /unpin need the number of a message —"])
        }
        do throws(ClientError) {
            _ = try await self.client.pin(number, isOn, in: id)
        } catch {
            self.lines.print(["— message \(number) was not \(isOn ? "pinned" : "unpinned"): \(error.words) —"])
        }
    }

    private func showPins(_ board: Locked<ChatBoard>) async throws(CommandFailure) {
        guard let id = board.withLock(\.conversation) else { return }
        let page = try await self.client.asking { client throws(ClientError) in try await client.pins(of: id) }
        await self.learn(page.entries, board)
        self.lines.print(board.withLock { $0.pinned(page.entries) })
    }

    /// A call shows itself and takes keys, and so has a terminal of its own.
    private func callAdvice(_ peer: UserID?) -> String {
        guard let peer else { return "— /call is for conversations between two —" }
        return """
            — to call, run this in another terminal; without a microphone, add --play FILE for a voice:
            \(ChatText.indent)parley call @\(peer.text)\(self.caller)
            """
    }

    private func showOlder(_ board: Locked<ChatBoard>) async throws(CommandFailure) {
        let (id, oldest) = board.withLock { ($0.conversation, $0.oldest) }
        guard let id else { return }
        let page = try await self.client.asking { client throws(ClientError) in
            try await client.history(of: id, before: oldest)
        }
        await self.learn(page.entries, board)
        self.lines.print(board.withLock { $0.took(older: page) })
    }
}

// MARK: - What comes

extension ChatScreen {
    /// Why there is nothing more to hear.
    private func listen(_ board: Locked<ChatBoard>) async -> LinkFailure? {
        var failure: LinkFailure?
        for await event in self.client.events {
            switch event {
            case .entry(let entry): await self.heard(entry, board)
            case .outgoing(let id, let state): self.became(id, state, board)
            case .typing(let typing) where typing.isOn:
                let isHere = board.withLock { $0.isHere(typing.conversation, typing.user) }
                if isHere { self.lines.print([board.withLock { $0.typing(typing.user) }]) }
            case .receipt(let receipt):
                if let line = board.withLock({ $0.heard(receipt) }) { self.lines.print([line]) }
            case .profile(let profile):
                if let line = board.withLock({ $0.renamed(profile) }) { self.lines.print([line]) }
            case .disconnected(let failure, _):
                self.lines.print(["— connection lost: \(failure.words); reconnecting —"])
            // A fresh connection hears nothing until it asks.
            case .connected: try? await self.catchUp(board)
            case .ended(let reason): failure = reason
            default: break
            }
        }
        self.lines.close()
        return failure
    }

    /// The newest, or what was missed; from then on entries come live.
    private func catchUp(_ board: Locked<ChatBoard>) async throws(ClientError) {
        let pieces = try await self.client.sync(from: board.withLock(\.position), newest: Self.newest)
        await self.learn(pieces.flatMap(\.entries), board)
        await self.show(board.withLock { $0.took(pieces) }, board)
    }

    private func heard(_ entry: ChatEntry, _ board: Locked<ChatBoard>) async {
        if board.withLock({ $0.isHere(entry.conversation, entry.from) }) { await self.learn([entry], board) }
        await self.show(board.withLock { $0.heard(entry) }, board)
    }

    private func show(_ hearing: ChatBoard.Hearing, _ board: Locked<ChatBoard>) async {
        self.lines.print(hearing.lines)
        // The next break or the next entry is another chance.
        if hearing.missing != nil { try? await self.catchUp(board) }
        guard let number = hearing.read, let id = board.withLock(\.conversation) else { return }
        do throws(ClientError) {
            try await self.client.markRead(number, in: id)
        } catch .ended {
            // That is told at the end of it all.
        } catch {
            Terminal.complain("not marked as read: \(error.words)")
        }
    }

    private func became(_ id: MessageID, _ state: OutgoingMessage.State, _ board: Locked<ChatBoard>) {
        switch state {
        case .sending: break
        case .sent(let outcome):
            let isLate = board.withLock { $0.sent(id, outcome) }
            if isLate { self.lines.print(["\(ChatText.indent)✓ sent after all"]) } else { self.lines.ended("✓") }
        case .failed(let error):
            board.withLock { $0.failed(id) }
            self.lines.ended("✗ not sent: \(error.words) — /again sends it again")
        }
    }

    /// What those are called whose names were not needed before.
    private func learn(_ entries: [ChatEntry], _ board: Locked<ChatBoard>) async {
        let users = board.withLock { $0.strangers(among: entries) }
        guard !users.isEmpty else { return }
        // Without an answer they go by their ids.
        let profiles = (try? await self.client.profiles(of: users)) ?? []
        board.withLock { $0.learned(users, profiles) }
    }
}
