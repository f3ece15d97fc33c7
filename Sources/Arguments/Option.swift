/// An option with a value: `--listen ADDR:PORT`.
///
/// An optional property may stay nil, one with a default keeps it, an array takes the option any number of
/// times, and everything else has to be given.
@propertyWrapper
package final class Option<Value>: ParsedProperty<Value> {
    /// What a value is for, besides being read by the command.
    package enum Role: Sendable {
        case value
        /// Names a file that may set all other options of the command.
        case configurationFile
    }

    package var wrappedValue: Value {
        get { self.current }
        set { self.current = newValue }
    }

    private init<Element: ExpressibleByArgument>(
        _ settings: Settings,
        of _: Element.Type,
        _ value: Value?,
        isRequired: Bool = false,
        isRepeating: Bool = false,
        defaultText: String? = nil,
        parse: @escaping ([GivenValue]) throws(UsageProblem) -> Value
    ) {
        super.init(value, parse: parse) { property, assign in
            let names = settings.name.names(for: property)
            return ArgumentDefinition(
                kind: .option,
                role: settings.role == .configurationFile ? .configurationFile : .value,
                names: names,
                help: settings.help,
                valueName: settings.help.valueName ?? Element.valueName ?? property.inKebabCase.uppercased(),
                isRequired: isRequired,
                isRepeating: isRepeating,
                defaultText: defaultText,
                allValues: Element.allValueStrings,
                completion: settings.completion ?? Element.completion,
                environment: settings.environment,
                assign: assign
            )
        }
    }

    private struct Settings {
        let name: NameSpecification
        let help: ArgumentHelp
        let environment: EnvironmentName
        let completion: CompletionKind?
        var role = Role.value
    }
}

extension Option where Value: ExpressibleByArgument {
    package convenience init(
        wrappedValue: Value,
        name: NameSpecification = .long,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic,
        completion: CompletionKind? = nil
    ) {
        let settings = Settings(name: name, help: help, environment: environment, completion: completion)
        let text = wrappedValue.argumentDescription
        self.init(settings, of: Value.self, wrappedValue, defaultText: text) { given throws(UsageProblem) in
            try given.last(as: Value.self)
        }
    }

    /// An option that has to be given.
    package convenience init(
        name: NameSpecification = .long,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic,
        completion: CompletionKind? = nil
    ) {
        let settings = Settings(name: name, help: help, environment: environment, completion: completion)
        self.init(settings, of: Value.self, nil, isRequired: true) { given throws(UsageProblem) in
            try given.last(as: Value.self)
        }
    }
}

extension Option {
    /// An option that may be left out.
    package convenience init<Element: ExpressibleByArgument>(
        name: NameSpecification = .long,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic,
        completion: CompletionKind? = nil,
        role: Role = .value
    ) where Value == Element? {
        let settings = Settings(name: name, help: help, environment: environment, completion: completion, role: role)
        self.init(settings, of: Element.self, .some(nil)) { given throws(UsageProblem) in
            try given.last(as: Element.self)
        }
    }

    /// An option that may be given many times; what is given takes the place of the default.
    package convenience init<Element: ExpressibleByArgument>(
        wrappedValue: [Element] = [],
        name: NameSpecification = .long,
        help: ArgumentHelp,
        environment: EnvironmentName = .automatic,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        let settings = Settings(name: name, help: help, environment: environment, completion: completion)
        let text = wrappedValue.map(\.argumentDescription).joined(separator: ", ")
        self.init(
            settings,
            of: Element.self,
            wrappedValue,
            isRepeating: true,
            defaultText: text.isEmpty ? nil : text
        ) { given throws(UsageProblem) in
            try given.all(as: Element.self)
        }
    }
}
