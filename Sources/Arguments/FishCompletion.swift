/// Completion for fish: a function that finds the command, and one line for each thing it offers.
struct FishCompletion {
    private let root: CommandNode

    init(_ root: CommandNode) {
        self.root = root
    }

    private var conditionName: String { "_\(self.root.functionName)_is" }

    var script: String {
        let nodes = self.root.withDescendants
        return """
            # fish completion for \(self.root.name)
            function \(self.conditionName) --description 'Whether the words typed so far lead to this command'
                set --local command \(self.root.name.quotedForFish)
                set --local skip no
                for word in (commandline -opc)[2..]
                    if test $skip = yes
                        set skip no
                        continue
                    end
                    switch "$command $word"
            \(nodes.flatMap(self.steps).map { "            " + $0 }.joined(separator: "\n"))
                    end
                end
                test "$command" = "$argv"
            end

            complete --command \(self.root.name) --no-files
            \(nodes.flatMap(self.offers).joined(separator: "\n"))

            """
    }

    private func steps(_ node: CommandNode) -> [String] {
        let next = node.children.map(\.name) + self.named(by: node).map { "\($0.place) \($0.word)" }
        let commands = next.map { "case \($0.quotedForFish); set command \($0.quotedForFish)" }
        let options = node.options.filter(\.takesValue).flatMap(\.words)
        guard !options.isEmpty else { return commands }
        return commands + [
            "case \(options.map { "\(node.name) \($0)".quotedForFish }.joined(separator: " ")); set skip yes"
        ]
    }

    /// What follows where a command is named word by word, such as `encode` behind `parley help voice`.
    private func named(by node: CommandNode) -> [(place: String, word: String)] {
        guard node.namesCommands else { return [] }
        return self.root.menus.flatMap { menu in
            menu.choices.map { (([node.name] + menu.words).joined(separator: " "), $0) }
        }
    }

    private func offers(_ node: CommandNode) -> [String] {
        let condition = "\(self.conditionName) \(node.name)".quotedForFish
        let start = "complete --command \(self.root.name) --condition \(condition)"
        let commands = node.children.map { child in
            "\(start) --arguments \((child.path.last ?? "").quotedForFish)"
                + " --description \(child.configuration.abstract.quotedForFish)"
        }
        let options = node.shownOptions.flatMap { option in
            option.names.map { "\(start) \(self.offer(option, $0))" } + self.inverse(option).map { "\(start) \($0)" }
        }
        let arguments = node.positionals.compactMap { self.action($0.completion).map { "\(start)\($0)" } }
        let named = self.named(by: node).map { place, word in
            let condition = "\(self.conditionName) \(place)".quotedForFish
            return "complete --command \(self.root.name) --condition \(condition) --arguments \(word.quotedForFish)"
        }
        return commands + options + arguments + named
    }

    private func offer(_ option: ArgumentDefinition, _ name: ArgumentName) -> String {
        let word =
            switch name {
            case .long(let text): "--long-option \(text)"
            case .short(let letter): "--short-option \(letter)"
            }
        let value = option.takesValue ? self.parameter(option.completion) : ""
        return "\(word)\(value) --description \(option.help.abstract.quotedForFish)"
    }

    private func inverse(_ option: ArgumentDefinition) -> [String] {
        guard option.isInvertible, let name = option.longName else { return [] }
        return ["--long-option no-\(name) --description \("The opposite of --\(name).".quotedForFish)"]
    }

    /// A value is needed; files are only offered where one is wanted.
    private func parameter(_ completion: CompletionKind) -> String {
        let action = self.action(completion) ?? ""
        return completion == .file ? " --require-parameter\(action)" : " --exclusive\(action)"
    }

    private func action(_ completion: CompletionKind) -> String? {
        switch completion {
        case .none, .commands: nil
        case .file: " --force-files"
        case .directory: " --arguments '(__fish_complete_directories)'"
        case .list(let values): " --arguments \(values.joined(separator: " ").quotedForFish)"
        }
    }
}

extension String {
    /// As one word of fish.
    fileprivate var quotedForFish: String {
        "'" + self.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
