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
}
