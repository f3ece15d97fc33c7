/// Completion for zsh: one function per command.
struct ZshCompletion {
    private let root: CommandNode

    init(_ root: CommandNode) {
        self.root = root
    }

    var script: String {
        let functions = self.root.withDescendants.map { self.function($0) }.joined(separator: "\n\n")
        return """
            #compdef \(self.root.name)

            \(functions)

            \(self.names)

            if [[ "$funcstack[1]" == \(self.root.functionName.quotedForShell) ]]; then
                \(self.root.functionName) "$@"
            else
                compdef \(self.root.functionName) \(self.root.name)
            fi

            """
    }

    private func function(_ node: CommandNode) -> String {
        let children = node.children
        var specs = node.shownOptions.flatMap(self.optionSpecs)
        specs +=
            children.isEmpty ? node.positionals.map(self.positionalSpec) : ["': :->command'", "'*:: :->arguments'"]
        let arguments = (["_arguments -s -S" + (children.isEmpty ? "" : " -C")] + specs.map { "        \($0)" })
        let body = arguments.joined(separator: " \\\n")
        guard !children.isEmpty else { return "\(node.functionName)() {\n    \(body)\n}" }
        return """
            \(node.functionName)() {
                local state
                local -a line commands
                typeset -A opt_args
                \(body)
                case "$state" in
                command)
                    commands=(
            \(children.map { "            " + self.description(of: $0) }.joined(separator: "\n"))
                    )
                    _describe command commands
                    ;;
                arguments)
                    case "$line[1]" in
            \(children.map { "        \($0.path.last ?? "") ) \($0.functionName) ;;" }.joined(separator: "\n"))
                    esac
                    ;;
                esac
            }
            """
    }

    private var namesFunction: String { "\(self.root.functionName)__names" }

    /// The next word where a command is named word by word.
    private var names: String {
        let cases = self.root.menus.map { menu in
            "    \(menu.words.joined(separator: " ").quotedForShell)) names=(\(menu.choices.joined(separator: " "))) ;;"
        }
        return """
            \(self.namesFunction)() {
                local -a names
                case "${(j: :)words[2,CURRENT-1]}" in
            \(cases.joined(separator: "\n"))
                esac
                compadd -a names
            }
            """
    }

    private func description(of node: CommandNode) -> String {
        "\(node.path.last ?? ""):\(node.configuration.abstract)".quotedForShell
    }

    private func optionSpecs(_ option: ArgumentDefinition) -> [String] {
        option.words.map { word in
            let repeats = option.isRepeating ? "*" : ""
            let sign = option.takesValue && word.hasPrefix("--") ? "=" : ""
            let value = option.takesValue ? ":\(Self.escaped(option.valueName)):\(self.action(option.completion))" : ""
            return "\(repeats)\(word)\(sign)[\(Self.escaped(option.help.abstract))]\(value)".quotedForShell
        }
    }

    private func positionalSpec(_ argument: ArgumentDefinition) -> String {
        let place = argument.isRepeating ? "*:" : argument.isRequired ? ":" : "::"
        return "\(place)\(Self.escaped(argument.valueName)):\(self.action(argument.completion))".quotedForShell
    }

    private func action(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: ""
        case .file: "_files"
        case .directory: "_files -/"
        case .list(let values): "(\(values.joined(separator: " ")))"
        case .commands: self.namesFunction
        }
    }

    /// Colons and brackets mean something in a specification.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, letter in
            if ":[]\\".contains(letter) { escaped += "\\" }
            escaped.append(letter)
        }
    }
}
