/// Something that is said or not: `--verbose`.
///
/// A `Bool` is true when it is said; with an inversion, `--no-x` makes it false. An `Int` counts: `-vvv`.
@propertyWrapper
package final class Flag<Value>: DeclaredProperty {
    package enum Inversion: Sendable {
        /// `--no-compression` beside `--compression`.
        case prefixedNo
    }

    private let slot: Slot<Value>
    private let make: (String) -> ArgumentDefinition

    package var wrappedValue: Value {
        get { self.slot.read() }
        set { self.slot.value = newValue }
    }

    override func definitions(for property: String) -> [ArgumentDefinition] { [self.make(property)] }

    private init(
        name: NameSpecification,
        help: ArgumentHelp,
        environment: EnvironmentName,
        slot: Slot<Value>,
        inverted: Bool = false,
        isRepeating: Bool = false,
        defaultText: String? = nil,
        assign: @escaping ([GivenValue]) throws(UsageProblem) -> Void
    ) {
        self.slot = slot
        self.make = { property in
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
        let slot = Slot(wrappedValue)
        self.init(
            name: name,
            help: help,
            environment: environment,
            slot: slot,
            inverted: inversion == .prefixedNo,
            defaultText: inversion == nil ? nil : wrappedValue.argumentDescription
        ) { given throws(UsageProblem) in
            for value in given { slot.value = try value.parsed(as: Bool.self) }
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
        let slot = Slot(wrappedValue)
        self.init(
            name: name,
            help: help,
            environment: environment,
            slot: slot,
            isRepeating: true
        ) { given throws(UsageProblem) in
            var count = 0
            for value in given {
                if case .commandLine = value.origin { count += 1 } else { count = try value.parsed(as: Int.self) }
            }
            slot.value = count
        }
    }
}
