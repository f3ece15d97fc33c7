internal import PostgresLink
internal import SQLTables

/// What a request has asked and written so far, in its order.
struct ReplayLog {
    struct Step {
        enum Kind: Hashable {
            case reads, writes
            /// It fails where it would change no row, so that nobody has to wait for it.
            case changesOne
            /// The same, waited for.
            case mayChangeOne

            var writes: Bool { self != .reads }
            var isAwaited: Bool { self == .reads || self == .mayChangeOne }
        }

        let kind: Kind
        let sql: String
        let values: [SQLValue]
        /// What it brought; nil until it is there, and for what only writes.
        var rows: PostgresRows?

        init(_ kind: Kind, _ sql: String, _ values: [SQLValue]) {
            self.kind = kind
            self.sql = sql
            self.values = values
        }
    }

    var steps: [Step] = []
    /// How many of them the database has been told.
    var sent = 0
    /// Whether a write that nearly always changes one row is waited for, because once it did not.
    var isCareful = false

    /// Whether something was written of which the database has heard.
    var hasSentWrites: Bool { self.steps.prefix(self.sent).contains { $0.kind.writes } }
    var hasUnsentWrites: Bool { self.steps.dropFirst(self.sent).contains { $0.kind.writes } }
}
