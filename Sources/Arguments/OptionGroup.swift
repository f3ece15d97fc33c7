/// Options that several commands share, declared once.
@propertyWrapper
package struct OptionGroup<Value: ParsableArguments> {
    package var wrappedValue: Value

    package init() {
        self.wrappedValue = Value()
    }
}

extension OptionGroup: ArgumentDeclaring, ArgumentGrouping {
    func definitions(for property: String) -> [ArgumentDefinition] { self.wrappedValue.definitions }

    var group: any ParsableArguments { self.wrappedValue }
}
