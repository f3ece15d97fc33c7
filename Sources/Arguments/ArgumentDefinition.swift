/// One declared option, flag or argument, without its type: what the parser, help, completions and the
/// manual all read.
struct ArgumentDefinition {
    enum Kind: Hashable {
        case option
        /// With `inverted`, `--no-x` says the opposite of `--x`.
        case flag(inverted: Bool)
        case positional
    }

    enum Role: Hashable { case value, configurationFile, help, version }

    let kind: Kind
    var role = Role.value
    let names: [ArgumentName]
    let help: ArgumentHelp
    let valueName: String
    var isRequired = false
    var isRepeating = false
    var defaultText: String?
    var allValues: [String] = []
    var completion = CompletionKind.none
    var environment = EnvironmentName.none
    /// Takes everything that was said about this argument, the oldest first; never called with nothing.
    let assign: ([GivenValue]) throws(UsageProblem) -> Void

    var longName: String? {
        for case .long(let name) in self.names { return name }
        return nil
    }

    var takesValue: Bool { self.kind == .option }
    var isPositional: Bool { self.kind == .positional }
    var isInvertible: Bool { self.kind == .flag(inverted: true) }

    /// How messages call it.
    var shownName: String { self.longName.map { "--\($0)" } ?? self.names.first?.description ?? self.valueName }

    func environmentVariable(prefix: String) -> String? {
        switch self.environment {
        case .none: nil
        case .named(let name): name
        case .automatic:
            self.longName.map { prefix + $0.uppercased().replacing("-", with: "_") }
        }
    }
}

/// What was said, and where.
struct GivenValue: Hashable, Sendable {
    enum Origin: Hashable, Sendable, CustomStringConvertible {
        case commandLine(String)
        case environment(String)
        case file(String, line: Int)

        var description: String {
            switch self {
            case .commandLine(let name): name
            case .environment(let variable): variable
            case .file(let path, let line): "\(path) line \(line)"
            }
        }
    }

    let text: String
    let origin: Origin

    /// The value as the type that is wanted, or words on why it is none.
    func parsed<Value: ExpressibleByArgument>(as _: Value.Type) throws(UsageProblem) -> Value {
        if let value = Value(argument: self.text) { return value }
        guard !Value.isSecret else { throw UsageProblem("\(self.origin): the value must be \(Value.expectation)") }
        let near = NearestName.hint(for: self.text, among: Value.allValueStrings)
        throw UsageProblem("\(self.origin): '\(self.text)' is not \(Value.expectation)\(near)")
    }
}
