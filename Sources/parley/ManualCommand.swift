import Arguments

/// `parley manual`
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "manual",
        abstract: "Print the manual page in roff format.",
        examples: [.init("parley manual | man -l -", "Read it.")],
        exitCodes: [.init(.success, "Printed.")]
    )

    mutating func run() throws -> ExitCode {
        print(ManualPage(for: ParleyCommand.self).text, terminator: "")
        return .success
    }
}
