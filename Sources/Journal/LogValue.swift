/// What a field of a log event holds.
///
/// A text that is not written out in the source has to say what it is: `.plain` is a promise that it
/// tells nothing about a person, `.private` keeps the promise for everything else.
package struct LogValue: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case personal(Private<String>)
    }

    let kind: Kind

    private init(_ kind: Kind) {
        self.kind = kind
    }

    package static func plain(_ text: String) -> LogValue { LogValue(.text(text)) }

    package static func plain(_ value: some CustomStringConvertible) -> LogValue {
        LogValue(.text(value.description))
    }

    package static func `private`<Value>(_ value: Private<Value>) -> LogValue {
        LogValue(.personal(Private(String(describing: value.exposed))))
    }

    package static func `private`(_ text: String) -> LogValue { .private(Private(text)) }

    /// A whole number; one beyond 64 bits stands at the end of the range.
    package static func integer(_ value: some BinaryInteger) -> LogValue {
        LogValue(.integer(Int64(clamping: value)))
    }

    package static func number(_ value: Double) -> LogValue { LogValue(.number(value)) }

    package static func flag(_ value: Bool) -> LogValue { LogValue(.flag(value)) }

    /// In seconds, as metrics have it.
    package static func duration(_ value: Duration) -> LogValue { .number(value.inSeconds) }

    /// Errors of the house describe themselves without naming anybody.
    package static func error(_ error: any Error) -> LogValue { LogValue(.text(String(describing: error))) }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: StaticString) { self.init(.text(value.description)) }
    package init(integerLiteral value: Int64) { self.init(.integer(value)) }
    package init(floatLiteral value: Double) { self.init(.number(value)) }
    package init(booleanLiteral value: Bool) { self.init(.flag(value)) }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
