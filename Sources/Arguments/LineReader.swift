/// Sorts the words of one command's line: which belong to which option, and where a subcommand begins.
///
/// The rules are those of POSIX and GNU: `-abc` is `-a -b -c`, `-ovalue` is `-o value`, `--name=value` is
/// `--name value`, `--` ends the options, and `-` alone is a value.
struct LineReader {
    enum Ending {
        case complete
        case subcommand(any ParsableCommand.Type, rest: ArraySlice<String>)
        case help
        case version
    }

    let node: CommandNode
    /// What was given, by the position of its definition in `node.definitions`.
    private(set) var given: [Int: [GivenValue]] = [:]
    private var positionals: [String] = []
    private var rest: ArraySlice<String> = []
    private var ending: Ending?

    init(_ node: CommandNode) {
        self.node = node
    }

    mutating func read(_ words: ArraySlice<String>) throws(UsageProblem) -> Ending {
        self.rest = words
        while self.ending == nil, let word = self.rest.popFirst() {
            try self.take(word)
        }
        if let ending = self.ending { return ending }
        try self.placePositionals()
        return .complete
    }

    private mutating func take(_ word: String) throws(UsageProblem) {
        if word == "--" {
            self.positionals += self.rest
            self.rest = []
        } else if word.hasPrefix("--") {
            try self.takeLong(word.dropFirst(2))
        } else if word.hasPrefix("-"), word != "-", !self.isNegativeNumber(word) {
            try self.takeBundle(word.dropFirst())
        } else {
            try self.takePlain(word)
        }
    }

    /// `-5` is a number unless the command has an option of that name.
    private func isNegativeNumber(_ word: String) -> Bool {
        guard Double(word) != nil, let digit = word.dropFirst().first else { return false }
        return self.index(of: .short(digit)) == nil
    }

    private func index(of name: ArgumentName) -> Int? {
        self.node.definitions.firstIndex { $0.names.contains(name) }
    }
}

// Options by their long names.
extension LineReader {
    private mutating func takeLong(_ body: Substring) throws(UsageProblem) {
        let parts = body.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if let index = self.index(of: .long(name)) {
            try self.takeOption(at: index, called: "--\(name)", attached: attached)
        } else if let index = self.invertedIndex(of: name) {
            try self.takeFlag(at: index, called: "--\(name)", saying: "no", attached: attached)
        } else {
            throw UsageProblem("unknown option '--\(name)'\(self.hint(for: "--\(name)"))")
        }
    }

    /// The flag that `no-x` turns off.
    private func invertedIndex(of name: String) -> Int? {
        guard name.hasPrefix("no-"), let index = self.index(of: .long(String(name.dropFirst(3)))) else { return nil }
        return self.node.definitions[index].isInvertible ? index : nil
    }

    private func hint(for word: String) -> String {
        let options = self.node.options.filter { !$0.help.isHidden }
        let names = options.flatMap { $0.names.map(\.description) }
        let inverted = options.filter(\.isInvertible).compactMap(\.longName).map { "--no-\($0)" }
        return NearestName.hint(for: word, among: names + inverted)
    }
}

// One option, however it was called.
extension LineReader {
    private mutating func takeOption(at index: Int, called name: String, attached: String?) throws(UsageProblem) {
        let definition = self.node.definitions[index]
        guard definition.takesValue else {
            return try self.takeFlag(at: index, called: name, saying: "yes", attached: attached)
        }
        guard let value = attached ?? self.popValue() else {
            throw UsageProblem("\(name) needs a value (\(definition.valueName))")
        }
        self.note(value, at: index, called: name)
    }

    private mutating func takeFlag(
        at index: Int,
        called name: String,
        saying text: String,
        attached: String?
    ) throws(UsageProblem) {
        if let attached { throw UsageProblem("\(name) takes no value, but was given '\(attached)'") }
        switch self.node.definitions[index].role {
        case .help: self.ending = .help
        case .version: self.ending = .version
        case .value, .configurationFile: self.note(text, at: index, called: name)
        }
    }

    private mutating func note(_ text: String, at index: Int, called name: String) {
        self.given[index, default: []].append(GivenValue(text: text, origin: .commandLine(name)))
    }

    /// The next word, unless it is an option of this command: then the value was probably forgotten.
    private mutating func popValue() -> String? {
        guard let word = self.rest.first, word != "--", !self.isOption(word) else { return nil }
        self.rest.removeFirst()
        return word
    }

    private func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word != "-" else { return false }
        if word.hasPrefix("--") {
            let name = String(word.dropFirst(2).prefix { $0 != "=" })
            return self.index(of: .long(name)) != nil || self.invertedIndex(of: name) != nil
        }
        return word.dropFirst().first.map { self.index(of: .short($0)) != nil } ?? false
    }
}

// Options by their letters.
extension LineReader {
    private mutating func takeBundle(_ letters: Substring) throws(UsageProblem) {
        var letters = letters
        while self.ending == nil, let letter = letters.popFirst() {
            guard let index = self.index(of: .short(letter)) else {
                throw UsageProblem("unknown option '-\(letter)'\(self.hint(for: "--\(letter)\(letters)"))")
            }
            if self.node.definitions[index].takesValue {
                let attached = letters.isEmpty ? nil : String(letters)
                return try self.takeOption(at: index, called: "-\(letter)", attached: attached)
            }
            try self.takeFlag(at: index, called: "-\(letter)", saying: "yes", attached: nil)
        }
    }
}

// Words that are no options.
extension LineReader {
    private mutating func takePlain(_ word: String) throws(UsageProblem) {
        let names = self.node.configuration.subcommands.map { $0.configuration.name }
        guard !names.isEmpty, self.positionals.isEmpty else {
            self.positionals.append(word)
            return
        }
        if let subcommand = self.node.subcommand(named: word) {
            self.ending = .subcommand(subcommand, rest: self.rest)
        } else if self.node.positionals.isEmpty {
            throw UsageProblem("unknown command '\(word)'\(NearestName.hint(for: word, among: names))")
        } else {
            self.positionals.append(word)
        }
    }

    /// Each argument takes one word, a repeating one takes all that are left.
    private mutating func placePositionals() throws(UsageProblem) {
        var words = self.positionals[...]
        for (index, definition) in self.node.definitions.enumerated() where definition.isPositional {
            let count = definition.isRepeating ? words.count : min(1, words.count)
            for word in words.prefix(count) { self.note(word, at: index, called: definition.valueName) }
            words = words.dropFirst(count)
        }
        if let word = words.first { throw UsageProblem("unexpected argument '\(word)'") }
    }
}
