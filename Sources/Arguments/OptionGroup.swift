/// Options that several commands share, declared once.
///
/// `Value` is constrained in `init` alone: for a constrained type the runtime searches its conformance, in each start for each group.
@propertyWrapper
package final class OptionGroup<Value>: DeclaredProperty {
    package var wrappedValue: Value
    private let arguments: (Value) -> any ParsableArguments

    package init() where Value: ParsableArguments {
        self.wrappedValue = Value()
        self.arguments = { $0 }
    }

    override var group: (any ParsableArguments)? { self.arguments(self.wrappedValue) }

    override func definitions(for property: String) -> [ArgumentDefinition] {
        self.group?.definitions ?? []
    }
}
