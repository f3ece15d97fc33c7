import Arguments

/// `parley completions bash`
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "completions",
        abstract: "Print a shell completion script.",
        examples: [
            .init("source <(parley completions bash)", "For bash; put it into ~/.bashrc."),
            .init("parley completions zsh > ~/.zfunc/_parley", "For zsh, in a directory of its fpath."),
            .init("parley completions fish > ~/.config/fish/completions/parley.fish", "For fish."),
        ],
        exitCodes: [.init(.success, "Printed.")]
    )

    @Argument(help: "Shell: bash, zsh or fish.")
    var shell: Shell

    mutating func run() throws -> ExitCode {
        print(CompletionScript(for: ParleyCommand.self, shell: self.shell).text, terminator: "")
        return .success
    }
}
