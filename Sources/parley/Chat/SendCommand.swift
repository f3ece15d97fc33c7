import Arguments
import Client
import Vocabulary

/// `parley send`
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "send",
        abstract: "Send a message.",
        discussion: """
            Prints the conversation and the message's number there once the server has stored it. A message sent again with \
            the same --id is stored once.
            """,
        examples: [
            .init("parley send @alice 'The build is green' --token $TOKEN", "To Alice."),
            .init("df -h | parley send @alice - --token $TOKEN", "Send the output of another program."),
        ],
        exitCodes: [
            .init(.success, "The message is stored."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers."),
            .init(.failure, "The server refused, or nobody has that name."),
        ]
    )

    @Argument(help: "Conversation, or @ and a person's name or id.")
    var target: ConversationArgument

    @Argument(help: "The message; - reads it from standard input.")
    var text: String

    @Option(help: "Your own id for the message; the same id is stored once.")
    var id: String?

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) {
        if let id = self.id, MessageID(id) == nil { throw ValidationError("--id: '\(id)' is not a valid message id") }
        if self.client.token == nil, self.client.alias == nil {
            throw ValidationError(
                "say who you are with --as NAME or --token TOKEN, so that the message can be answered")
        }
    }

    mutating func run() throws -> ExitCode {
        let (target, id) = (self.target, self.id.flatMap { MessageID($0) })
        let text = self.text == "-" ? StandardInput.all() : self.text
        guard !text.isEmpty else { throw CommandFailure("the message is empty: nothing was sent", exitCode: .noInput) }
        try self.client.run { client throws(CommandFailure) in
            let target = try await client.resolve(target)
            let outcome = try await client.asking { client throws(ClientError) in
                try await client.send(text: text, to: target, as: id)
            }
            print("\(outcome.conversation.text) \(outcome.number)")
        }
        return .success
    }
}

/// What is written to the program.
enum StandardInput {
    static func all() -> String {
        var lines: [String] = []
        while let line = readLine() { lines.append(line) }
        return lines.joined(separator: "\n")
    }
}
