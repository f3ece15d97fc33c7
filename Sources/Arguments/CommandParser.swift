/// From a command line to a command that is ready to run.
///
/// It touches nothing itself: the environment is handed in, and files are read through a closure.
package struct CommandParser {
    package enum Outcome {
        /// Run this; `name` is how messages about it begin: `parley serve`.
        case run(any ParsableCommand, name: String)
        /// Print this and end.
        case show(String, ExitCode)
        case refuse(UsageError)
    }

    /// Returns a file's text; what it throws is shown to the person.
    package typealias FileReader = (_ path: String) throws -> String

    private let root: any ParsableCommand.Type
    private let environment: [String: String]
    private let readFile: FileReader

    package init(_ root: any ParsableCommand.Type, environment: [String: String], readFile: @escaping FileReader) {
        self.root = root
        self.environment = environment
        self.readFile = readFile
    }

    /// - Parameter words: what follows the program's name.
    /// - Parameter width: how many columns help may take.
    package func parse(_ words: [String], width: Int = 80) -> Outcome {
        var node = CommandNode(self.root)
        var rest = words[...]
        while true {
            do throws(UsageProblem) {
                var reader = LineReader(node)
                switch try reader.read(rest) {
                case .help:
                    return .show(HelpText(node, width: width).text, .success)
                case .version:
                    return .show("\(node.path[0]) \(node.configuration.version ?? "")", .success)
                case .subcommand(let type, let words):
                    node = CommandNode(type, under: node.path)
                    rest = words
                case .complete:
                    return try self.finish(node, reader.given, width: width)
                }
            } catch {
                return .refuse(self.usageError(error, in: node))
            }
        }
    }

    private func finish(
        _ node: CommandNode,
        _ given: [Int: [GivenValue]],
        width: Int
    ) throws(UsageProblem) -> Outcome {
        if node.command is any CommandGroup {
            return .show(HelpText(node, width: width).text, .usage)
        }
        try self.fill(node, with: given)
        return .run(node.command, name: node.name)
    }

    private func usageError(_ problem: UsageProblem, in node: CommandNode) -> UsageError {
        let hasHelp = self.root.configuration.subcommands.contains { $0.configuration.name == "help" }
        let words = hasHelp ? [node.path[0], "help"] + node.path.dropFirst() : node.path + ["--help"]
        return UsageError(command: node.name, message: problem.message, hint: words.joined(separator: " "))
    }
}

// Values: the command line stands over the environment, that over the file, and that over the default.
extension CommandParser {
    private func fill(_ node: CommandNode, with given: [Int: [GivenValue]]) throws(UsageProblem) {
        let file = try self.configurationFile(of: node, given)
        let fromFile = try file?.values(for: node.definitions) ?? [:]
        for (index, definition) in node.definitions.enumerated() {
            let said = given[index] ?? self.fromEnvironment(definition, in: node)
            let values = said ?? definition.longName.flatMap { fromFile[$0] } ?? []
            if !values.isEmpty {
                try definition.assign(values)
            } else if definition.isRequired {
                throw self.missing(definition)
            }
        }
        try self.validate(node.command)
    }

    /// A variable without text counts as one that is not set.
    private func fromEnvironment(_ definition: ArgumentDefinition, in node: CommandNode) -> [GivenValue]? {
        guard let variable = definition.environmentVariable(prefix: node.environmentPrefix) else { return nil }
        guard let text = self.environment[variable], !text.isEmpty else { return nil }
        return [GivenValue(text: text, origin: .environment(variable))]
    }

    private func configurationFile(
        of node: CommandNode,
        _ given: [Int: [GivenValue]]
    ) throws(UsageProblem) -> ConfigurationFile? {
        let index = node.definitions.firstIndex { $0.role == .configurationFile }
        guard let index else { return nil }
        let said = given[index] ?? self.fromEnvironment(node.definitions[index], in: node)
        guard let path = said?.last else { return nil }
        let text: String
        do {
            text = try self.readFile(path.text)
        } catch {
            throw UsageProblem("\(path.origin): '\(path.text)' cannot be read: \(error)")
        }
        return try ConfigurationFile(path: path.text, text: text)
    }

    private func missing(_ definition: ArgumentDefinition) -> UsageProblem {
        if definition.isPositional { return UsageProblem("missing argument \(definition.valueName)") }
        return UsageProblem("missing option '\(definition.shownName) \(definition.valueName)'")
    }

    private func validate(_ arguments: any ParsableArguments) throws(UsageProblem) {
        for group in arguments.groups { try self.validate(group) }
        do throws(ValidationError) {
            try arguments.validate()
        } catch {
            throw UsageProblem(error.message)
        }
    }
}

/// A command that does nothing but hold others; called alone, it shows its help.
package protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
    package mutating func run() throws -> ExitCode { .usage }
}
