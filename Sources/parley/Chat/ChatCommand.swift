import System
import Arguments
import Client
import Vocabulary

/// `parley chat`
struct ChatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "chat",
        abstract: "Chat in the terminal; without a conversation, list yours with what is unread.",
        discussion: """
            Shows the latest messages and then new ones as they arrive, and sends every line that is typed: … is being \
            sent, ✓ is stored on the server, ✗ was refused or not answered in 20 s, and /again sends it once more. \
            /file PATH sends a file, /recall takes the last message back, /older shows earlier messages, /pin N, \
            /unpin N and /pins pin, unpin and list messages, /call shows the command that calls the other person, \
            /quit ends, and /help lists these. A line that begins with // is sent with one / at its front. When standard input \
            is not a terminal, every line of it is sent, and the command ends when the server has all of them.
            """,
        examples: [
            .init("parley chat --as bob", "Bob's conversations."),
            .init("parley chat @alice --as bob", "Chat with Alice, who has registered or is online."),
            .init("tail -n 3 build.log | parley chat team --token $TOKEN", "Send the lines of another program."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.noInput, "There was nothing to send."),
            .init(.unavailable, "No server answers."), .init(.failure, "The server refused, or nobody has that name."),
        ]
    )

    @Argument(help: "Conversation, or @ and a person's name or id.")
    var target: ConversationArgument?

    @OptionGroup var client: ClientOptions

    mutating func run() throws -> ExitCode {
        let target = self.target
        let isPiped = !FileDescriptor.standardInput.isTerminal
        let caller = self.client.asWritten
        try self.client.run { client throws(CommandFailure) in
            guard let target else { return try await Self.list(client) }
            let place = try await client.resolve(target)
            if isPiped { return try await Self.pipe(client, place) }
            try await ChatScreen(client, place, caller: caller).run()
        }
        return .success
    }

    private static func list(_ client: ParleyClient) async throws(CommandFailure) {
        let views = try await client.asking { client throws(ClientError) in try await client.conversations() }
        if views.isEmpty { print("No conversations yet. Start one with 'parley chat @NAME'.") }
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
        var count = 0
        while let line = readLine() {
            guard !line.isEmpty else { continue }
            count += 1
            _ = try await client.asking { client throws(ClientError) in try await client.send(text: line, to: target) }
        }
        guard count > 0 else { throw CommandFailure("standard input is empty: nothing was sent", exitCode: .noInput) }
    }
}
