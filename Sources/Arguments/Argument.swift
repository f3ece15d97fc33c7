/// A word that is known by its place: `FILE`.
///
/// An optional property may stay nil, one with a default keeps it, an array takes all that is left, and
/// everything else has to be given.
@propertyWrapper
package final class Argument<Value>: DeclaredProperty {
    private let slot: Slot<Value>
    private let make: (String) -> ArgumentDefinition

    package var wrappedValue: Value {
        get { self.slot.read() }
        set { self.slot.value = newValue }
    }

    override func definitions(for property: String) -> [ArgumentDefinition] { [self.make(property)] }

    private init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        completion: CompletionKind?,
        of _: Element.Type,
        slot: Slot<Value>,
        isRequired: Bool = false,
        isRepeating: Bool = false,
        defaultText: String? = nil,
        assign: @escaping ([GivenValue]) throws(UsageProblem) -> Void
    ) {
        self.slot = slot
        self.make = { property in
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
        let slot = Slot(wrappedValue)
        let text = wrappedValue.argumentDescription
        self.init(help: help, completion: completion, of: Value.self, slot: slot, defaultText: text) {
            given throws(UsageProblem) in
            for value in given { slot.value = try value.parsed(as: Value.self) }
        }
    }

    /// An argument that has to be given.
    package convenience init(help: ArgumentHelp, completion: CompletionKind? = nil) {
        let slot = Slot<Value>(nil)
        self.init(help: help, completion: completion, of: Value.self, slot: slot, isRequired: true) {
            given throws(UsageProblem) in
            for value in given { slot.value = try value.parsed(as: Value.self) }
        }
    }
}

extension Argument {
    /// An argument that may be left out.
    package convenience init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        completion: CompletionKind? = nil
    ) where Value == Element? {
        let slot = Slot<Value>(.some(nil))
        self.init(help: help, completion: completion, of: Element.self, slot: slot) { given throws(UsageProblem) in
            for value in given { slot.value = try value.parsed(as: Element.self) }
        }
    }

    /// All that is left; `atLeastOne` when there has to be something.
    package convenience init<Element: ExpressibleByArgument>(
        help: ArgumentHelp,
        atLeastOne: Bool = false,
        completion: CompletionKind? = nil
    ) where Value == [Element] {
        let slot = Slot<Value>([])
        self.init(
            help: help,
            completion: completion,
            of: Element.self,
            slot: slot,
            isRequired: atLeastOne,
            isRepeating: true
        ) { given throws(UsageProblem) in
            slot.value = try given.map { value throws(UsageProblem) in try value.parsed(as: Element.self) }
        }
    }
}
