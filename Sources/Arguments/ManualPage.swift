/// The manual of a program with all its commands, as a page for `man`.
package struct ManualPage {
    private let root: CommandNode

    package init(for root: any ParsableCommand.Type) {
        self.root = CommandNode(root)
    }

    package var text: String {
        let version = self.root.configuration.version.map { " \($0)" } ?? ""
        var lines = [".TH \(self.root.name.uppercased().roff) 1 \"\" \"\((self.root.name + version).roff)\""]
        lines += [".SH NAME", "\(self.root.name) - \(self.root.configuration.abstract)".roff]
        lines += [".SH SYNOPSIS"] + self.synopsis
        if !self.root.configuration.discussion.isEmpty {
            lines += [".SH DESCRIPTION"] + Self.paragraphs(self.root.configuration.discussion)
        }
        lines += [".SH OPTIONS"] + self.list(self.root.shownOptions)
        lines += self.root.children.isEmpty ? [] : [".SH COMMANDS"] + self.commands
        lines += self.section("EXIT STATUS", self.exitCodes) + self.section("ENVIRONMENT", self.environment)
        if self.nodes.contains(where: \.hasConfigurationFile) {
            lines += [".SH CONFIGURATION FILE"] + Self.paragraphs(HelpText.precedence)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var nodes: [CommandNode] { self.root.withDescendants }

    private var synopsis: [String] {
        let lines = self.nodes.filter { $0.children.isEmpty }.map { ".B \($0.usage.roff)" }
        return lines.isEmpty ? [] : lines.flatMap { [$0, ".br"] }.dropLast()
    }

    /// One part for each command below the root.
    private var commands: [String] {
        self.nodes.dropFirst().flatMap { node -> [String] in
            let configuration = node.configuration
            var lines = [".SS \(node.usage.roff)"] + Self.paragraphs(configuration.abstract)
            if !configuration.discussion.isEmpty { lines += [".PP"] + Self.paragraphs(configuration.discussion) }
            lines += self.list(node.positionals) + self.list(node.shownOptions)
            for example in configuration.examples {
                lines +=
                    [".PP", "Example:", ".br", ".B \(example.line.roff)", ".br"] + Self.paragraphs(example.purpose)
            }
            return lines
        }
    }

    private func list(_ definitions: [ArgumentDefinition]) -> [String] {
        definitions.flatMap { definition in
            let synopsis = String(definition.synopsis.drop { $0 == " " })
            return [".TP", ".B \(synopsis.roff)"] + Self.paragraphs(definition.explanation)
        }
    }

    /// Every code once, in order: what the program says of it, or else what its commands say.
    private var exitCodes: [String] {
        let exits = self.root.configuration.exitCodes + self.nodes.dropFirst().flatMap(\.configuration.exitCodes)
        let common = Set(self.root.configuration.exitCodes.map(\.code))
        let codes = Dictionary(grouping: exits) { $0.code }.sorted { $0.key.rawValue < $1.key.rawValue }
        return codes.flatMap { code, exits -> [String] in
            let meanings = exits.map(\.meaning).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            let told = common.contains(code) ? meanings.prefix(1) : meanings[...]
            return [".TP", ".B \(code.rawValue)"] + Self.paragraphs(told.joined(separator: " "))
        }
    }

    private var environment: [String] {
        let variables = self.nodes.flatMap(\.variables).map { "\($0.name)=\($0.option)" }
        return Set(variables).sorted().flatMap { variable -> [String] in
            let parts = variable.split(separator: "=")
            return [".TP", ".B \(String(parts[0]).roff)", "as \(parts[1])".roff]
        }
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : [".SH \(title)"] + lines
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.wrapped(to: 78).map { $0.isEmpty ? ".PP" : $0.roff }
    }
}

extension String {
    /// Text that roff shows as it is.
    fileprivate var roff: String {
        let escaped = self.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += #"\e"#
            case "-": text += #"\-"#
            case "\"": text += #"\(dq"#
            case "'": text += #"\(aq"#
            case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
            default: text += #"\[u\#(scalar.fourDigits)]"#
            }
        }
        return escaped.hasPrefix(".") ? #"\&"# + escaped : escaped
    }
}

extension Unicode.Scalar {
    fileprivate var fourDigits: String {
        let digits = String(self.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
