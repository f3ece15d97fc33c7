/// A word that is known by its place: `FILE`.
///
/// An optional property may stay nil, one with a default keeps it, an array takes all that is left, and
/// everything else has to be given.
@propertyWrapper
package final class Argument<Value>: ParsedProperty<Value> {
    package var wrappedValue: Value {
        get { self.current }
        set { self.current = newValue }
    }

    private init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        completion: CompletionKind?,
        of _: Element.Type,
        _ value: Value?,
        isRequired: Bool = false,
        isRepeating: Bool = false,
        defaultText: String? = nil,
        parse: @escaping ([GivenValue]) throws(UsageProblem) -> Value
    ) {
        super.init(value, parse: parse) { property, assign in
            ArgumentDefinition(
                kind: .positional,
                names: [],
                help: help,
                // What may be said stands there itself; else the property's name says more than a type's would.
                valueName: help.valueName
                    ?? (Element.allValueStrings.isEmpty
                        ? property.inKebabCase.uppercased() : Element.allValueStrings.joined(separator: "|")),
                isRequired: isRequired,
                isRepeating: isRepeating,
                defaultText: defaultText,
                allValues: Element.allValueStrings,
                completion: completion ?? Element.completion,
                assign: assign
            )
        }
    }
}

extension Argument where Value: ExpressibleByArgument {
    package convenience init(wrappedValue: Value, help: ArgumentHelp, completion: CompletionKind? = nil) {
        let text = wrappedValue.argumentDescription
        self.init(help: help, completion: completion, of: Value.self, wrappedValue, defaultText: text) {
            given throws(UsageProblem) in
            try given.last(as: Value.self)
        }
    }

    /// An argument that has to be given.
    package convenience init(help: ArgumentHelp, completion: CompletionKind? = nil) {
        self.init(help: help, completion: completion, of: Value.self, nil, isRequired: true) {
            given throws(UsageProblem) in
            try given.last(as: Value.self)
        }
    }
}

extension Argument {
    /// An argument that may be left out.
    package convenience init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        completion: CompletionKind? = nil
    ) where Value == Element? {
        self.init(help: help, completion: completion, of: Element.self, .some(nil)) { given throws(UsageProblem) in
            try given.last(as: Element.self)
        }
    }

    /// All that is left; `atLeastOne` when there has to be something.
    package convenience init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        atLeastOne: Bool = false,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        self.init(
            help: help,
            completion: completion,
            of: Element.self,
            [],
            isRequired: atLeastOne,
            isRepeating: true
        ) { given throws(UsageProblem) in
            try given.all(as: Element.self)
        }
    }
}
