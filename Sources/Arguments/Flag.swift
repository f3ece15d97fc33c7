/// Something that is said or not: `--verbose`.
///
/// A `Bool` is true when it is said; with an inversion, `--no-x` makes it false. An `Int` counts: `-vvv`.
@propertyWrapper
package final class Flag<Value>: ParsedProperty<Value> {
    package enum Inversion: Sendable {
        /// `--no-compression` beside `--compression`.
        case prefixedNo
    }

    package var wrappedValue: Value {
        get { self.current }
        set { self.current = newValue }
    }

    private init(
        name: NameSpecification,
        help: ArgumentHelp,
        environment: EnvironmentName,
        _ value: Value?,
        inverted: Bool = false,
        isRepeating: Bool = false,
        defaultText: String? = nil,
        parse: @escaping ([GivenValue]) throws(UsageProblem) -> Value
    ) {
        super.init(value, parse: parse) { property, assign in
            ArgumentDefinition(
                kind: .flag(inverted: inverted),
                names: name.names(for: property),
                help: help,
                valueName: "",
                isRepeating: isRepeating,
                defaultText: defaultText,
                environment: environment,
                assign: assign
            )
        }
    }
}

extension Flag where Value == Bool {
    package convenience init(
        wrappedValue: Bool = false,
        name: NameSpecification = .long,
        inversion: Inversion? = nil,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic
    ) {
        self.init(
            name: name,
            help: help,
            environment: environment,
            wrappedValue,
            inverted: inversion == .prefixedNo,
            defaultText: inversion == nil ? nil : wrappedValue.argumentDescription
        ) { given throws(UsageProblem) in
            try given.last(as: Bool.self)
        }
    }
}

extension Flag where Value == Int {
    /// Counts how often it was said; a variable or a file says the number.
    package convenience init(
        wrappedValue: Int = 0,
        name: NameSpecification = .long,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic
    ) {
        self.init(
            name: name,
            help: help,
            environment: environment,
            wrappedValue,
            isRepeating: true
        ) { given throws(UsageProblem) in
            var count = 0
            for value in given {
                if case .commandLine = value.origin { count += 1 } else { count = try value.parsed(as: Int.self) }
            }
            return count
        }
    }
}
