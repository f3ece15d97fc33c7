internal import Vocabulary

/// What is put into the place of a `?` in a statement.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func text(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }

    static func time(_ time: WallTime?) -> SQLValue { time.map { .integer($0.milliseconds) } ?? .null }

    static func user(_ user: UserID?) -> SQLValue { self.text(user?.text) }

    static func time(_ time: WallTime) -> SQLValue { .integer(time.milliseconds) }

    static func number(_ number: UInt64) -> SQLValue { .integer(Int64(clamping: number)) }

    static func count(_ count: Int) -> SQLValue { .integer(Int64(count)) }

    static func length(_ length: Int?) -> SQLValue { length.map { .count($0) } ?? .null }

    static func flag(_ isOn: Bool) -> SQLValue { .integer(isOn ? 1 : 0) }

    static func blob(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.blob) ?? .null }
}
