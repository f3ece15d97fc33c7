/// A value that one word of a command line can say.
package protocol ExpressibleByArgument {
    init?(argument: String)

    /// Completes the sentence "'x' is not …".
    static var expectation: String { get }
    /// Whether what was said is kept out of messages, which end in logs.
    static var isSecret: Bool { get }
    /// What stands for the value in a usage line, when nothing better is said.
    static var valueName: String? { get }
    /// All there is to choose from; empty when that is no list.
    static var allValueStrings: [String] { get }
    static var completion: CompletionKind { get }

    /// How help shows the value as a default.
    var argumentDescription: String { get }
}

extension ExpressibleByArgument {
    package static var expectation: String { "a value that is understood here" }
    package static var isSecret: Bool { false }
    package static var valueName: String? { nil }
    package static var allValueStrings: [String] { [] }
    package static var completion: CompletionKind {
        self.allValueStrings.isEmpty ? .none : .list(self.allValueStrings)
    }
    package var argumentDescription: String { String(describing: self) }
}

/// What a shell may offer where a value is expected.
package enum CompletionKind: Hashable, Sendable {
    case none
    case file
    case directory
    case list([String])
    /// The program's own commands, word by word.
    case commands
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue == String {
    package init?(argument: String) { self.init(rawValue: argument) }
    package var argumentDescription: String { self.rawValue }
}

extension ExpressibleByArgument where Self: RawRepresentable & CaseIterable, RawValue == String {
    package static var allValueStrings: [String] { self.allCases.map(\.rawValue) }
    package static var valueName: String? { self.allValueStrings.joined(separator: "|") }
    package static var expectation: String {
        let values = self.allValueStrings
        return values.count == 1 ? "'\(values[0])'" : "one of \(values.joined(separator: ", "))"
    }
}

extension String: ExpressibleByArgument {
    package init?(argument: String) { self = argument }
    package static var valueName: String? { "TEXT" }
}

extension ExpressibleByArgument where Self: FixedWidthInteger {
    package init?(argument: String) { self.init(argument, radix: 10) }
    package static var valueName: String? { "N" }
    package static var expectation: String { "a whole number from \(Self.min) to \(Self.max)" }
}

extension Int: ExpressibleByArgument {
    package static var expectation: String { "a whole number" }
}

extension Int32: ExpressibleByArgument {}
extension UInt16: ExpressibleByArgument {}
extension UInt32: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}

extension Double: ExpressibleByArgument {
    package init?(argument: String) {
        guard let number = Double(argument), number.isFinite else { return nil }
        self = number
    }

    package static var valueName: String? { "NUMBER" }
    package static var expectation: String { "a number" }
}

extension Bool: ExpressibleByArgument {
    package init?(argument: String) {
        switch argument.lowercased() {
        case "true", "yes", "on", "1": self = true
        case "false", "no", "off", "0": self = false
        default: return nil
        }
    }

    package static var valueName: String? { "yes|no" }
    package static var allValueStrings: [String] { ["yes", "no"] }
    package static var expectation: String { "yes or no" }
    package var argumentDescription: String { self ? "yes" : "no" }
}
