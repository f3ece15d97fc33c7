/// A set of options and arguments that can be read from a command line.
///
/// Its properties wear `@Option`, `@Flag`, `@Argument` or `@OptionGroup`; everything else about a command
/// line follows from them. Each parse makes a fresh value.
package protocol ParsableArguments: SendableMetatype {
    init()

    /// Looks at what single values cannot know of each other.
    func validate() throws(ValidationError)
}

extension ParsableArguments {
    package func validate() throws(ValidationError) {}
}

/// Options that do not go together; the text says which, and why.
package struct ValidationError: Error, Hashable, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}

/// Something to be done, with the options and arguments it takes.
package protocol ParsableCommand: ParsableArguments {
    static var configuration: CommandConfiguration { get }

    mutating func run() throws -> ExitCode
}

/// What is to be known about a command besides its properties.
package struct CommandConfiguration: Sendable {
    /// A command line worth showing, and what it does.
    package struct Example: Sendable, Hashable {
        package let line: String
        package let purpose: String

        package init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }

    /// An exit code, and when a command ends with it.
    package struct DocumentedExit: Sendable, Hashable {
        package let code: ExitCode
        package let meaning: String

        package init(_ code: ExitCode, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    package let name: String
    /// One line, for lists.
    package let abstract: String
    /// Paragraphs, separated by empty lines.
    package let discussion: String
    /// Shown by `--version` where there is one.
    package let version: String?
    package let examples: [Example]
    package let exitCodes: [DocumentedExit]
    package let subcommands: [any ParsableCommand.Type]

    package init(
        name: String,
        abstract: String,
        discussion: String = "",
        version: String? = nil,
        examples: [Example] = [],
        exitCodes: [DocumentedExit] = [],
        subcommands: [any ParsableCommand.Type] = []
    ) {
        self.name = name
        self.abstract = abstract
        self.discussion = discussion
        self.version = version
        self.examples = examples
        self.exitCodes = exitCodes
        self.subcommands = subcommands
    }
}
