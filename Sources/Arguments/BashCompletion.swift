/// Completion for bash, from version 3.2 on.
struct BashCompletion {
    private let root: CommandNode

    init(_ root: CommandNode) {
        self.root = root
    }

    var script: String {
        let nodes = self.root.withDescendants
        return """
            # bash completion for \(self.root.name)
            \(self.root.functionName)() {
                local IFS=$'\\n' command=\(self.root.name.quotedForShell) current previous index
                current="${COMP_WORDS[COMP_CWORD]}"
                previous="${COMP_WORDS[COMP_CWORD - 1]}"
                COMPREPLY=()
                # bash cuts '--name=value' into three words.
                if [[ "$current" == '=' ]]; then
                    current=
                elif [[ "$previous" == '=' ]]; then
                    previous="${COMP_WORDS[COMP_CWORD - 2]}"
                fi
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$command ${COMP_WORDS[index]}" in
            \(Self.lines(nodes.flatMap(self.steps), indent: 8))
                    esac
                done
                case "$command $previous" in
            \(Self.lines(nodes.flatMap(self.values), indent: 4))
                esac
                case "$command" in
            \(Self.lines(nodes.flatMap(self.words), indent: 4))
                esac
            }
            complete -F \(self.root.functionName) \(self.root.name)

            """
    }

    private static func lines(_ lines: [String], indent: Int) -> String {
        lines.map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }

    /// How one word leads on: into a subcommand, or over the value of an option.
    private func steps(_ node: CommandNode) -> [String] {
        let next = node.children.map(\.name) + self.named(by: node)
        let commands = next.map { "\($0.quotedForShell)) command=\($0.quotedForShell) ;;" }
        let options = node.options.filter(\.takesValue).flatMap(\.words)
        guard !options.isEmpty else { return commands }
        let patterns = options.map { "\(node.name) \($0)".quotedForShell }.joined(separator: " | ")
        return commands + ["\(patterns)) [[ \"${COMP_WORDS[index + 1]}\" == '=' ]] || ((index++)) ;;"]
    }

    /// The ways on where a command is named word by word, such as `parley help voice encode`.
    private func named(by node: CommandNode) -> [String] {
        guard node.namesCommands else { return [] }
        return self.root.menus.flatMap { menu in
            menu.choices.map { ([node.name] + menu.words + [$0]).joined(separator: " ") }
        }
    }

    /// What may follow an option.
    private func values(_ node: CommandNode) -> [String] {
        node.options.filter(\.takesValue).flatMap { option in
            let patterns = option.words.map { "\(node.name) \($0)".quotedForShell }.joined(separator: " | ")
            return ["\(patterns))"] + self.reply(to: option.completion, words: []).map { "    \($0)" }
                + ["    return", "    ;;"]
        }
    }

    /// What may stand anywhere else: options, subcommands, arguments.
    private func words(_ node: CommandNode) -> [String] {
        let words = node.children.map { $0.path.last ?? "" } + node.optionWords
        let completion = node.positionals.first?.completion ?? .none
        return self.place(node.name, self.reply(to: completion, words: words))
            + (node.namesCommands ? self.root.menus.dropFirst() : [])
            .flatMap { menu in
                self.place(
                    ([node.name] + menu.words).joined(separator: " "), self.reply(to: .list(menu.choices), words: []))
            }
    }

    private func place(_ name: String, _ reply: [String]) -> [String] {
        ["\(name.quotedForShell))"] + reply.map { "    \($0)" } + ["    ;;"]
    }

    private func reply(to completion: CompletionKind, words: [String]) -> [String] {
        var commands: [String] = []
        var words = words
        switch completion {
        case .none: break
        case .file: commands = [Self.files("-f")]
        case .directory: commands = [Self.files("-d")]
        case .list(let values): words = values + words
        case .commands: words = (self.root.menus.first?.choices ?? []) + words
        }
        guard !words.isEmpty else { return commands }
        let list = words.joined(separator: "\n").quotedForShell.replacing("\n", with: "'$'\\n''")
        return ["COMPREPLY=($(compgen -W \(list) -- \"$current\"))"] + commands
    }

    private static func files(_ kind: String) -> String {
        "compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen \(kind) -- \"$current\"))"
    }
}
