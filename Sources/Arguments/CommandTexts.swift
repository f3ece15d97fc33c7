// Texts that help and the manual share.
extension CommandNode {
    /// `parley serve [OPTIONS] FILE…`
    var usage: String {
        var words = [self.name]
        if !self.options.isEmpty { words.append("[OPTIONS]") }
        words += self.positionals.map(\.usage)
        if !self.configuration.subcommands.isEmpty { words.append("COMMAND") }
        return words.joined(separator: " ")
    }

    var shownOptions: [ArgumentDefinition] { self.options.filter { !$0.help.isHidden } }

    /// Every variable that is read, with the option it stands for.
    var variables: [(name: String, option: String)] {
        self.shownOptions.compactMap { option in
            option.environmentVariable(prefix: self.environmentPrefix).map { ($0, option.shownName) }
        }
    }

    var hasConfigurationFile: Bool { self.definitions.contains { $0.role == .configurationFile } }
}

extension ArgumentDefinition {
    /// `FILE`, `[FILE]`, `FILE…` or `[FILE…]`.
    fileprivate var usage: String {
        let name = self.isRepeating ? "\(self.valueName)…" : self.valueName
        return self.isRequired ? name : "[\(name)]"
    }

    /// `-l, --listen ADDR:PORT`
    var synopsis: String {
        if self.isPositional { return self.usage }
        let names = self.names.map { name in
            if case .long(let text) = name, self.isInvertible { return "--[no-]\(text)" }
            return name.description
        }
        // Options without a letter stand below the long names of the others.
        let indent = self.names.contains { $0.description.utf8.count == 2 } ? "" : "    "
        return indent + names.joined(separator: ", ") + (self.takesValue ? " \(self.valueName)" : "")
    }

    /// What it is for, and what holds when it is not given.
    var explanation: String {
        var notes: [String] = []
        if self.isRequired && !self.isPositional { notes.append("required") }
        if let text = self.defaultText, !text.isEmpty { notes.append("default: \(text)") }
        if self.isRepeating && !self.isPositional { notes.append("can be repeated") }
        return notes.isEmpty ? self.help.abstract : "\(self.help.abstract) (\(notes.joined(separator: "; ")))"
    }
}
