/// What a session is set to from its first moment, and how long we wait for what.
package struct PostgresOptions: Hashable, Sendable {
    /// How this program is called in the server's own lists.
    package var applicationName = "parley"
    /// Where tables without a schema are; empty leaves it to the server.
    package var searchPath = ""
    /// The server gives up a statement, waiting for a lock, and a transaction whose owner says nothing. Nil: never.
    package var statementTimeout: Duration? = .seconds(5)
    package var lockTimeout: Duration? = .seconds(1)
    package var idleInTransactionTimeout: Duration? = .seconds(2)
    /// Statements that find what they want by an index, planned once.
    package var pinsPlans = true
    /// How long one address may take to let us in.
    package var connectTimeout: Duration = .seconds(5)
    /// When the server owes an answer and says nothing for so long, the connection counts as broken. Nil: never.
    package var answerTimeout: Duration? = .seconds(10)

    package init() {}

    /// As libpq's `options` wants them. An own mistake in `searchPath` is one of ours: no stranger writes it.
    var startup: String {
        var settings: [(String, String)] = [
            ("statement_timeout", Self.milliseconds(self.statementTimeout)),
            ("lock_timeout", Self.milliseconds(self.lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(self.idleInTransactionTimeout)),
        ]
        if self.pinsPlans {
            // Where only a whole table is left to read, it counts as so costly that the server would compile the statement
            // whenever it is run: up to a second for one that takes a millisecond.
            settings += [
                ("enable_hashjoin", "off"), ("enable_seqscan", "off"), ("plan_cache_mode", "force_generic_plan"),
                ("jit", "off"),
            ]
        }
        if !self.searchPath.isEmpty { settings.append(("search_path", self.searchPath)) }
        return settings.map { "-c \($0)=\(Self.escaped($1))" }.joined(separator: " ")
    }

    private static func milliseconds(_ duration: Duration?) -> String {
        String(duration.map { max(1, $0 / .milliseconds(1)) }.map { Int64($0) } ?? 0)
    }

    /// Within `options` spaces and backslashes are written with a backslash.
    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, letter in
            if letter == " " || letter == "\\" { text.append("\\") }
            text.append(letter)
        }
    }
}
