import Arguments

/// `parley config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "config",
        abstract: "Print a configuration file for the server, with every option in a comment.",
        examples: [.init("parley config > parley.conf", "Begin one; then parley serve --config parley.conf.")],
        exitCodes: [.init(.success, "Printed.")]
    )

    mutating func run() throws -> ExitCode {
        print(ConfigurationTemplate(for: ServeCommand.self, of: ParleyCommand.self).text, terminator: "")
        return .success
    }
}
