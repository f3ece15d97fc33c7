/// A configuration file to begin with: every option of a command, and what it is for, behind `#`.
package struct ConfigurationTemplate {
    private let node: CommandNode

    /// - Parameter command: a command right below the program `root`.
    package init(for command: any ParsableCommand.Type, of root: any ParsableCommand.Type) {
        self.node = CommandNode(command, under: [root.configuration.name])
    }

    package var text: String {
        let introduction = """
            Options of '\(self.node.name)', one a line, as 'name = value'. '#' begins a comment line: take it away before an \
            option that you set. An option that can be repeated has a line for each value.
            """
        let settable = self.node.shownOptions.filter { $0.role == .value && $0.longName != nil }
        let parts = [Self.comment(introduction)] + settable.map(Self.part)
        return parts.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    /// What an option is for, and its line, which says nothing yet.
    private static func part(_ option: ArgumentDefinition) -> [String] {
        self.comment(option.explanation) + ["#\(option.longName ?? "") = \(option.defaultText ?? self.example(option))"]
    }

    /// A value for an option that has none of its own: a flag is said, or counted.
    private static func example(_ option: ArgumentDefinition) -> String {
        if option.takesValue { return option.valueName }
        return option.isRepeating ? "1" : "yes"
    }

    private static func comment(_ text: String) -> [String] {
        text.wrapped(to: 78).map { "# \($0)" }
    }
}
