/// One command of the tree, with everything it declares.
struct CommandNode {
    /// The words that lead here: `["parley", "serve"]`.
    let path: [String]
    let configuration: CommandConfiguration
    /// A fresh value; the definitions write into it.
    let command: any ParsableCommand
    /// What the command declares, then `--help` and `--version`.
    let definitions: [ArgumentDefinition]

    init(_ type: any ParsableCommand.Type, under parents: [String] = []) {
        let command = type.init()
        self.command = command
        self.configuration = type.configuration
        self.path = parents + [type.configuration.name]
        let builtIn: [ArgumentDefinition] = [.help] + (type.configuration.version == nil ? [] : [.version])
        self.definitions = command.definitions + builtIn
        precondition(self.hasDistinctNames, "two options of '\(self.name)' have the same name")
    }

    var name: String { self.path.joined(separator: " ") }
    var options: [ArgumentDefinition] { self.definitions.filter { !$0.isPositional } }
    var positionals: [ArgumentDefinition] { self.definitions.filter(\.isPositional) }

    var children: [CommandNode] {
        self.configuration.subcommands.map { CommandNode($0, under: self.path) }
    }

    /// This command and all below it, each before its children.
    var withDescendants: [CommandNode] {
        [self] + self.children.flatMap(\.withDescendants)
    }

    /// `PARLEY_`, from the name of the program.
    var environmentPrefix: String { self.path[0].uppercased().replacing("-", with: "_") + "_" }

    func subcommand(named name: String) -> (any ParsableCommand.Type)? {
        self.configuration.subcommands.first { $0.configuration.name == name }
    }

    /// The command that these words lead to; nil when there is none.
    func descendant(_ words: some Sequence<String>) -> CommandNode? {
        var node = self
        for word in words {
            guard let next = node.subcommand(named: word) else { return nil }
            node = CommandNode(next, under: node.path)
        }
        return node
    }

    private var hasDistinctNames: Bool {
        let names = self.definitions.flatMap(\.names)
        return Set(names).count == names.count
    }
}

extension ArgumentDefinition {
    static var help: ArgumentDefinition {
        .init(builtIn: .help, names: [.short("h"), .long("help")], "Show this help and end.")
    }

    static var version: ArgumentDefinition {
        .init(builtIn: .version, names: [.long("version")], "Show the version and end.")
    }

    private init(builtIn role: Role, names: [ArgumentName], _ abstract: String) {
        self.init(
            kind: .flag(inverted: false),
            role: role,
            names: names,
            help: ArgumentHelp(abstract),
            valueName: "",
            assign: { _ throws(UsageProblem) in }
        )
    }
}
