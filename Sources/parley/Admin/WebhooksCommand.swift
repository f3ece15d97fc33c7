import Arguments
import Vocabulary
import Web

/// `parley webhooks`: what another program has not taken, and how it gets it once more.
struct WebhooksCommand: ParsableCommand {
    enum Action: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, replay
    }

    static let configuration = CommandConfiguration(
        name: "webhooks",
        abstract: "List failed webhook deliveries of a running server, and repeat them.",
        discussion: """
            An entry that could not be delivered within an hour is given up, and its conversation goes on without it. \
            'replay' delivers again what was given up or, with a conversation, every entry after a number. Entries \
            that are delivered again keep their ids and arrive after those delivered meanwhile.
            """,
        examples: [
            .init("parley webhooks", "Failed and delayed deliveries."),
            .init("parley webhooks replay", "Deliver again what was given up."),
            .init("parley webhooks replay shop-17 --after 120", "Deliver one conversation again from entry 121."),
        ],
        exitCodes: [
            .init(.success, "Done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers at the admin address."), .init(.failure, "The server refused."),
        ]
    )

    @Argument(help: "What to do.")
    var action = Action.list

    @Argument(help: "Conversation to deliver again.")
    var conversation: String?

    @Option(help: "Deliver only entries after this number.")
    var after = 0

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        if self.after < 0 { throw ValidationError("--after must not be negative") }
        guard let conversation = self.conversation else { return }
        if self.action == .list { throw ValidationError("list takes no conversation") }
        if ConversationID(conversation) == nil {
            throw ValidationError("'\(conversation)' is not a valid conversation id")
        }
    }

    mutating func run() throws -> ExitCode {
        switch self.action {
        case .list: try self.list()
        case .replay:
            let target = self.conversation.map { "?conversation=\(PercentCoding.encode($0))&after=\(self.after)" } ?? ""
            let answer = try self.server.call.send(.post, "/v1/webhooks/replay\(target)")
            print(PlainText.json(String(decoding: answer, as: UTF8.self)))
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/webhooks")
        if self.server.json { return print(PlainText.json(String(decoding: answer, as: UTF8.self))) }
        AdminTable.print(
            answer, "troubled", ["delivery", "conversation", "number", "attempts", "state", "trouble"],
            orElse: "No delivery has failed.")
    }
}
