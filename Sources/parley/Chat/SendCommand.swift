import Arguments
import Client
import Vocabulary

/// `parley send`
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "send",
        abstract: "Say something in a conversation.",
        discussion: """
            Prints the conversation and the message's number there once the server has it on its disk. With --id it can \
            be sent again when that was not seen, and is there once all the same.
            """,
        examples: [
            .init("parley send @alice 'The build is green' --token $TOKEN", "To Alice."),
            .init("df -h | parley send @alice - --token $TOKEN", "What another program says."),
        ],
        exitCodes: [
            .init(.success, "It is kept."), .init(.usage, "The command line is wrong."),
            .init(.unavailable, "No server answers there."), .init(.failure, "The server did not take it."),
        ]
    )

    @Argument(help: "Where to.")
    var target: ChatTarget

    @Argument(help: "What to say; - takes it from standard input.")
    var text: String

    @Option(help: "A name of one's own for the message.")
    var id: String?

    @OptionGroup var client: ClientOptions

    func validate() throws(ValidationError) {
        if let id = self.id, MessageID(id) == nil { throw ValidationError("--id: '\(id)' cannot be a message's name") }
    }

    mutating func run() throws -> ExitCode {
        let (target, id) = (self.target, self.id.flatMap { MessageID($0) })
        let text = self.text == "-" ? StandardInput.all() : self.text
        try self.client.run { client throws(CommandFailure) in
            await client.hint(about: target)
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
