/// A shell that can complete command lines.
package enum Shell: String, CaseIterable, Sendable, ExpressibleByArgument {
    case bash, zsh, fish
}

/// The script that teaches a shell to complete a program's command lines.
package struct CompletionScript {
    package let text: String

    package init(for root: any ParsableCommand.Type, shell: Shell) {
        let node = CommandNode(root)
        self.text =
            switch shell {
            case .bash: BashCompletion(node).script
            case .zsh: ZshCompletion(node).script
            case .fish: FishCompletion(node).script
            }
    }
}

extension CommandNode {
    /// The name of the shell function that belongs to this command.
    var functionName: String {
        "_" + self.path.joined(separator: "_").replacing("-", with: "_")
    }

    /// Commands with others below them, and which: what may stand where a command is named word by word. The root comes first.
    var menus: [(words: [String], choices: [String])] {
        self.withDescendants.filter { !$0.children.isEmpty }
            .map { (Array($0.path.dropFirst()), $0.children.compactMap(\.path.last)) }
    }

    var namesCommands: Bool { self.positionals.first?.completion == .commands }

    /// Every way to spell an option, `--no-x` included.
    var optionWords: [String] {
        self.shownOptions.flatMap(\.words)
    }
}

extension ArgumentDefinition {
    var words: [String] {
        self.names.flatMap { name -> [String] in
            if case .long(let text) = name, self.isInvertible { return ["--\(text)", "--no-\(text)"] }
            return [name.description]
        }
    }
}

extension String {
    /// As one word of a POSIX shell.
    package var quotedForShell: String { "'" + self.replacing("'", with: #"'\''"#) + "'" }
}
