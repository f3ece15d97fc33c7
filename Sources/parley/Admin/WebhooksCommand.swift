import Arguments
import Vocabulary
import Web

/// `parley webhooks`: what another program has not taken, and how it gets it once more.
struct WebhooksCommand: ParsableCommand {
    enum Deed: String, CaseIterable, Sendable, ExpressibleByArgument {
        case list, replay
    }

    static let configuration = CommandConfiguration(
        name: "webhooks",
        abstract: "See what a webhook of a running server did not take; deliver it again.",
        discussion: """
            An entry that could not be delivered within an hour is given up, and its conversation goes on without it. \
            'replay' delivers what was given up; with a conversation, everything in it behind a number. What is \
            delivered again comes behind what was delivered meanwhile, under the same id.
            """,
        examples: [
            .init("parley webhooks", "What has trouble."),
            .init("parley webhooks replay", "Once more what was given up."),
            .init("parley webhooks replay shop-17 --after 120", "A conversation from its entry 121."),
        ],
        exitCodes: [
            .init(.success, "It is done."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers there."), .init(.failure, "The server did not do it."),
        ]
    )

    @Argument(help: "What to do.")
    var deed = Deed.list

    @Argument(help: "The conversation to deliver again.")
    var conversation: String?

    @Option(help: "The number of its last entry that is not wanted.")
    var after = 0

    @OptionGroup var server: AdminOptions

    func validate() throws(ValidationError) {
        if self.after < 0 { throw ValidationError("--after: entries count from 1") }
        guard let conversation = self.conversation else { return }
        if self.deed == .list { throw ValidationError("list: shows all there is, whatever the conversation") }
        if ConversationID(conversation) == nil { throw ValidationError("'\(conversation)' names no conversation") }
    }

    mutating func run() throws -> ExitCode {
        switch self.deed {
        case .list: try self.list()
        case .replay:
            let target = self.conversation.map { "?conversation=\(PercentCoding.encode($0))&after=\(self.after)" } ?? ""
            let answer = try self.server.call.send(.post, "/v1/webhooks/replay\(target)")
            print(String(decoding: answer, as: UTF8.self))
        }
        return .success
    }

    private func list() throws {
        let answer = try self.server.call.send(.get, "/v1/webhooks")
        if self.server.json { return print(String(decoding: answer, as: UTF8.self)) }
        AdminTable.print(answer, "troubled", ["delivery", "conversation", "number", "attempts", "state", "trouble"])
    }
}
