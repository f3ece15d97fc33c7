/// What is wrong with a command line, an environment or a configuration file, in one line.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The command as far as it was understood: `parley serve`.
    package let command: String
    package let message: String
    /// What to type to learn more.
    package let hint: String
    package var exitCode: ExitCode { .usage }

    package var description: String { "\(self.command): \(self.message)\ntry '\(self.hint)'" }
}

/// The same, before it is known in which command it happened.
struct UsageProblem: Error, Hashable, Sendable {
    let message: String

    /// What strangers wrote is shown without what a terminal would obey.
    init(_ message: String) {
        self.message = String(
            String.UnicodeScalarView(
                message.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
            )
        )
    }
}
