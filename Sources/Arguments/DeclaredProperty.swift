/// What one property of a command declares: a property wrapper seen from outside.
///
/// A class and no protocol: a cast to a class follows the superclasses, a cast to a protocol searches all conformances of the program,
/// once for each type of option. Together with the names of columns (`Column`) these searches were a quarter of a start.
package class DeclaredProperty {
    func definitions(for property: String) -> [ArgumentDefinition] { [] }

    /// The options that it holds, when it is a group.
    var group: (any ParsableArguments)? { nil }
}

extension ParsableArguments {
    /// Everything this value's properties declare, in their order.
    var definitions: [ArgumentDefinition] {
        Mirror(reflecting: self).children.flatMap { child -> [ArgumentDefinition] in
            guard let property = child.value as? DeclaredProperty, let label = child.label else { return [] }
            return property.definitions(for: String(label.drop { $0 == "_" }))
        }
    }

    /// This value's groups, in which `validate` is asked as well.
    var groups: [any ParsableArguments] {
        Mirror(reflecting: self).children.compactMap { ($0.value as? DeclaredProperty)?.group }
    }
}
