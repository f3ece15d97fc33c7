import Arguments

/// A small program with one of everything.
struct Ship: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "ship",
        abstract: "Sails the seas.",
        version: "1.2.3",
        exitCodes: [.init(.success, "Arrived."), .init(.usage, "Wrong orders.")],
        subcommands: [Sail.self, Crew.self]
    )
}

enum Speed: String, CaseIterable, Sendable, ExpressibleByArgument {
    case slow, steady, full
}

struct Chart: ParsableArguments {
    @Option(help: "Where to begin.")
    var from: String?

    @Option(help: "Where to end.")
    var to: String?

    func validate() throws(ValidationError) {
        if self.from != nil && self.from == self.to { throw ValidationError("--from and --to are the same port") }
    }
}

struct Sail: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "sail",
        abstract: "Sail to a port.",
        discussion: "The wind decides how long it takes.",
        examples: [.init("ship sail --speed full harbour", "As fast as it goes.")],
        exitCodes: [.init(.temporaryFailure, "There is no wind.")]
    )

    @Option(name: [.short, .long], help: "How fast.")
    var speed = Speed.steady

    @Option(name: [.customShort("t"), .long], help: "How long at most.")
    var timeLimit = Duration.seconds(90)

    @Option(name: [.customShort("g"), .long], help: "What to carry.")
    var cargo: [String]

    @Option(help: "How much water.")
    var water = 2048

    @Option(help: "How deep.", environment: .named("DEPTH"))
    var depth: Double?

    @Option(help: ArgumentHelp("Not for everybody.", isHidden: true), environment: .none)
    var secret: Int?

    @Option(help: ArgumentHelp("Orders in a file.", valueName: "FILE"), completion: .file, role: .configurationFile)
    var orders: String?

    @Flag(name: .shortAndLong, help: "Say more.")
    var verbose: Int

    @Flag(name: [.customShort("x"), .long], help: "Only pretend.")
    var dryRun: Bool

    @Flag(inversion: .prefixedNo, help: "Light the lamps.")
    var lamps = true

    @OptionGroup var chart: Chart

    @Argument(help: "The port.", completion: .list(["harbour", "island"]))
    var port: String

    @Argument(help: "Ports on the way.")
    var stops: [String]

    mutating func run() throws -> ExitCode { .success }
}

struct Crew: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "crew",
        abstract: "Everybody on board.",
        subcommands: [Hire.self]
    )
}

struct Hire: ParsableCommand {
    static let configuration = CommandConfiguration(name: "hire", abstract: "Take somebody on board.")

    @Option(name: .customLong("as"), help: ArgumentHelp("What they do.", valueName: "ROLE"))
    var role: String

    @Option(help: "Where they sleep.", completion: .directory)
    var cabin: String?

    @Argument(help: "How many.")
    var count = 1

    @Argument(help: "Who recommends them.")
    var reference: String?

    mutating func run() throws -> ExitCode { .success }
}

/// A program that explains its own commands.
struct Fleet: CommandGroup {
    static let configuration = CommandConfiguration(
        name: "fleet", abstract: "Many ships.", subcommands: [Crew.self, Guide.self])
}

struct Guide: ParsableCommand {
    static let configuration = CommandConfiguration(name: "guide", abstract: "Explain a command.")

    @Argument(help: "Which one.", completion: .commands)
    var command: [String]

    mutating func run() throws -> ExitCode { .success }
}

/// Why a file cannot be read, in the tests.
struct NoSuchFile: Error, CustomStringConvertible {
    let description = "no such file"
}

/// Everything a parse can see.
struct Harbour {
    var environment: [String: String] = [:]
    var files: [String: String] = [:]

    func parse(_ words: [String], width: Int = 80) -> CommandParser.Outcome {
        let parser = CommandParser(Ship.self, environment: self.environment) { path in
            guard let text = self.files[path] else { throw NoSuchFile() }
            return text
        }
        return parser.parse(words, width: width)
    }

    struct Unexpected: Error { let outcome: String }

    func sail(_ words: String...) throws -> Sail { try self.command(["sail"] + words) }

    func command<Command: ParsableCommand>(_ words: [String]) throws -> Command {
        guard case .run(let command, _) = self.parse(words), let command = command as? Command else {
            throw Unexpected(outcome: "\(self.parse(words))")
        }
        return command
    }

    func refusal(_ words: String...) -> String? {
        guard case .refuse(let error) = self.parse(words) else { return nil }
        return "\(error.command): \(error.message)"
    }
}
