/// What `help` shows of one command.
struct HelpText {
    private let node: CommandNode
    private let width: Int
    /// Where the second column may begin at the latest.
    private static let widestColumn = 32

    init(_ node: CommandNode, width: Int) {
        self.node = node
        self.width = max(40, width)
    }

    var text: String {
        let configuration = self.node.configuration
        var parts = [configuration.abstract.wrapped(to: self.width).joined(separator: "\n")]
        parts.append(self.section("USAGE", self.usage))
        if !configuration.discussion.isEmpty {
            parts.append(configuration.discussion.wrapped(to: self.width).joined(separator: "\n"))
        }
        parts.append(self.table("ARGUMENTS", self.node.positionals.map { ($0.synopsis, $0.explanation) }))
        parts.append(self.table("OPTIONS", self.node.shownOptions.map { ($0.synopsis, $0.explanation) }))
        let subcommands = configuration.subcommands.map { ($0.configuration.name, $0.configuration.abstract) }
        parts.append(self.table("SUBCOMMANDS", subcommands))
        parts.append(self.examples)
        let codes = configuration.exitCodes.sorted { $0.code.rawValue < $1.code.rawValue }.map {
            ("\($0.code.rawValue)", $0.meaning)
        }
        parts.append(self.table("EXIT CODES", codes))
        parts.append(self.table("ENVIRONMENT", self.node.variables.map { ($0.name, "as \($0.option)") }))
        if self.node.hasConfigurationFile {
            parts.append(Self.precedence.wrapped(to: self.width).joined(separator: "\n"))
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    static let precedence = """
        A configuration file holds lines of the form 'name = value', with the names of the long options; '#' begins \
        a comment line. The command line stands over the environment, the environment over the file.
        """

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : ([title] + lines.map { "  \($0)" }).joined(separator: "\n")
    }

    private var usage: [String] {
        let lines = self.node.usage.wrapped(to: self.width - 6)
        return lines.prefix(1) + lines.dropFirst().map { "    \($0)" }
    }

    private var examples: String {
        self.section(
            "EXAMPLES",
            self.node.configuration.examples.flatMap { example in
                [example.line] + example.purpose.wrapped(to: self.width - 6).map { "    \($0)" }
            })
    }

    /// Two columns; what does not fit into the first one stands on a line of its own.
    private func table(_ title: String, _ rows: [(String, String)]) -> String {
        let longest = rows.map(\.0.count).max() ?? 0
        let column = min(longest, Self.widestColumn, self.width / 2)
        let lines = rows.flatMap { name, text -> [String] in
            let wrapped = text.wrapped(to: self.width - column - 4)
            let indent = String(repeating: " ", count: column + 2)
            if name.count > column { return [name] + wrapped.map { indent + $0 } }
            return ["\(name.padded(to: column))  \(wrapped[0])"] + wrapped.dropFirst().map { indent + $0 }
        }
        return self.section(title, lines)
    }
}
