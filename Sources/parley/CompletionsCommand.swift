import Arguments

/// `parley completions bash`
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "completions",
        abstract: "Print the script that lets a shell complete command lines of parley.",
        examples: [
            .init("source <(parley completions bash)", "For this bash; in ~/.bashrc, for every one."),
            .init("parley completions zsh > ~/.zfunc/_parley", "For zsh, in a folder of its fpath."),
            .init("parley completions fish > ~/.config/fish/completions/parley.fish", "For fish."),
        ],
        exitCodes: [.init(.success, "Printed.")]
    )

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    mutating func run() throws -> ExitCode {
        print(CompletionScript(for: ParleyCommand.self, shell: self.shell).text, terminator: "")
        return .success
    }
}
