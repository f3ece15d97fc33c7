/// A property that reads what was said about its argument: an option, a flag or a word in its place.
package class ParsedProperty<Value>: DeclaredProperty {
    typealias Assignment = ([GivenValue]) throws(UsageProblem) -> Void

    private var value: Value?
    private let parse: ([GivenValue]) throws(UsageProblem) -> Value
    private let define: (_ property: String, _ assign: @escaping Assignment) -> ArgumentDefinition

    /// - Parameter value: what it reads when nothing is said; nil when something has to be.
    /// - Parameter parse: makes a value of everything that was said; never called with nothing.
    init(
        _ value: Value?, parse: @escaping ([GivenValue]) throws(UsageProblem) -> Value,
        define: @escaping (_ property: String, _ assign: @escaping Assignment) -> ArgumentDefinition
    ) {
        self.value = value
        self.parse = parse
        self.define = define
    }

    final var current: Value {
        get {
            guard let value = self.value else { preconditionFailure("an argument was read before it was parsed") }
            return value
        }
        set { self.value = newValue }
    }

    override func definitions(for property: String) -> [ArgumentDefinition] {
        [self.define(property) { given throws(UsageProblem) in self.value = try self.parse(given) }]
    }
}

extension [GivenValue] {
    /// All have to be right, and the last one counts.
    func last<Value: ExpressibleByArgument>(as type: Value.Type) throws(UsageProblem) -> Value {
        var value = try self[0].parsed(as: type)
        for later in self.dropFirst() { value = try later.parsed(as: type) }
        return value
    }

    func all<Value: ExpressibleByArgument>(as type: Value.Type) throws(UsageProblem) -> [Value] {
        try self.map { given throws(UsageProblem) in try given.parsed(as: type) }
    }
}
