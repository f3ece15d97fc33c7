/// One way to call an option on the command line.
package enum ArgumentName: Hashable, Sendable, CustomStringConvertible {
    case long(String)
    case short(Character)

    package var description: String {
        switch self {
        case .long(let name): "--\(name)"
        case .short(let letter): "-\(letter)"
        }
    }
}

/// What an option is called, in terms of its property's name.
package struct NameSpecification: Sendable, ExpressibleByArrayLiteral {
    package enum Element: Hashable, Sendable {
        /// `drainTimeout` is called `--drain-timeout`.
        case long
        case customLong(String)
        /// `verbose` is called `-v`.
        case short
        case customShort(Character)
    }

    let elements: [Element]

    package init(arrayLiteral elements: Element...) {
        self.elements = elements
    }

    package static let long: NameSpecification = [.long]
    package static let short: NameSpecification = [.short]
    package static let shortAndLong: NameSpecification = [.short, .long]
    package static func customLong(_ name: String) -> NameSpecification { [.customLong(name)] }

    func names(for property: String) -> [ArgumentName] {
        self.elements.compactMap { element in
            switch element {
            case .long: .long(property.inKebabCase)
            case .customLong(let name): .long(name)
            case .short: property.first.map { .short($0) }
            case .customShort(let letter): .short(letter)
            }
        }
    }
}

extension String {
    /// `drainTimeout` → `drain-timeout`, `plainHTTP` → `plain-http`.
    var inKebabCase: String {
        var wasUppercase = true
        return self.reduce(into: "") { text, letter in
            if letter.isUppercase && !wasUppercase { text += "-" }
            text += letter.lowercased()
            wasUppercase = letter.isUppercase
        }
    }
}
