import System
import Arguments
import Client
import Vocabulary

/// `parley chat`
struct ChatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "chat",
        abstract: "Talk in a terminal; without a conversation, see where there is something new.",
        discussion: """
            Shows the latest messages and then what comes, and sends every line that is typed: … is on its way, ✓ is \
            kept, ✗ was not taken or not answered in 20 s, and /again says it once more. /file PATH sends a file, /recall \
            takes the last message back, /older shows what was said before, /pin N, /unpin N and /pins keep messages at hand, /call tells how to ring the other one, /quit \
            ends. When standard input is no terminal every line of it is sent and the command ends when all are kept.
            """,
        examples: [
            .init("parley chat --as bob", "One's conversations."),
            .init("parley chat @alice --as bob", "With Alice."),
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
        let isPiped = !FileDescriptor.standardInput.isTerminal
        let caller = self.client.asWritten
        try self.client.run { client throws(CommandFailure) in
            guard let target else { return try await Self.list(client) }
            await client.hint(about: target)
            if isPiped { return try await Self.pipe(client, target) }
            try await ChatScreen(client, target, caller: caller).run()
        }
        return .success
    }

    private static func list(_ client: ParleyClient) async throws(CommandFailure) {
        let views = try await client.asking { client throws(ClientError) in try await client.conversations() }
        for view in views {
            let name = view.title ?? view.peer.map { Self.name(of: $0, view.peerName) } ?? view.id.text
            let unread = view.unread == 0 ? "" : view.unread > 99 ? "(99+) " : "(\(view.unread)) "
            let words = view.latest.map { ChatText.words(of: $0) } ?? ""
            let kept = view.retentionDays.map { ", kept for \($0) days" } ?? ""
            print("\(view.id.text)  \(unread)\(PlainText.line(name))\(kept): \(words.prefix { $0 != "\n" })")
        }
    }

    private static func name(of peer: UserID, _ name: String?) -> String {
        name.map { "\($0) @\(peer.text)" } ?? "@\(peer.text)"
    }

    private static func pipe(_ client: ParleyClient, _ target: ChatTarget) async throws(CommandFailure) {
        while let line = readLine() {
            guard !line.isEmpty else { continue }
            _ = try await client.asking { client throws(ClientError) in try await client.send(text: line, to: target) }
        }
    }
}
