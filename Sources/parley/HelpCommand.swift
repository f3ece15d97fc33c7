import Arguments

/// `parley help serve`
struct HelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "help",
        abstract: "Show what a command does and which options it takes.",
        examples: [.init("parley help serve", "Everything about parley serve.")],
        exitCodes: [.init(.success, "Shown."), .init(.usage, "There is no such command.")]
    )

    @Argument(help: "Command; default: an overview of all.", completion: .commands)
    var command: [String]

    mutating func run() throws -> ExitCode {
        print(try HelpRequest.text(for: self.command, in: ParleyCommand.self, width: Terminal.columns))
        return .success
    }
}
