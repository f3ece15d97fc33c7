package import Vocabulary

/// What is put into the place of a `?` in a statement.
package enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    package static func text(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }

    package static func time(_ time: WallTime?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }

    package static func user(_ user: UserID?) -> SQLValue { self.text(user?.text) }

    package static func time(_ time: WallTime) -> SQLValue { .integer(time.milliseconds) }

    package static func number(_ number: UInt64) -> SQLValue { .integer(Int64(clamping: number)) }

    package static func count(_ count: Int) -> SQLValue { .integer(Int64(count)) }

    /// For a statement that is asked with each range: from, to, at most so many.
    package static func ranges(_ ranges: [ClosedRange<Int64>], limit: Int) -> [[SQLValue]] {
        ranges.map { [.integer($0.lowerBound), .integer($0.upperBound), .count(limit)] }
    }

    package static func length(_ length: Int?) -> SQLValue { length.map { .count($0) } ?? .null }

    package static func flag(_ isOn: Bool) -> SQLValue { .integer(isOn ? 1 : 0) }

    package static func blob(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.blob) ?? .null }
}
