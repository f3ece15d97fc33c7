/// What PostgreSQL or the way to it refused. Safe to log: it has the words of the server's message, not the values.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// A unique index has the value already.
        case unique
        /// A check, a foreign key, NOT NULL or an exclusion says no.
        case constraint
        case serialization
        case deadlock
        case lockTimeout
        /// It took longer than the session allows, or was cancelled.
        case statementTimeout
        /// The transaction was open for too long without a word.
        case idleInTransactionTimeout
        /// The server is going down, or an administrator ended the connection.
        case shutdown
        /// The server is not yet ready.
        case starting
        case diskFull
        case tooManyConnections
        case readOnly
        case authentication
        /// TLS could not be had, or the certificate is not the one of this server.
        case untrusted
        case noSuchDatabase
        /// Something between us and the server shares its connections.
        case pooled
        /// libpq is not installed on this machine.
        case noLibrary
        /// A statement before it, in front of the same `sync`, has failed.
        case aborted
        /// The connection is gone. Whether the server did what waited for an answer is not known.
        case broken
        /// The connection did not come about, so nothing was sent.
        case unreachable
        /// The statement is not what the server understands: our own mistake.
        case other
    }

    package let reason: Reason
    /// The five letters of SQLSTATE; empty where the server said nothing.
    package let state: String
    /// The name of the constraint or index that was violated.
    package let constraint: String
    package let message: String

    package init(_ reason: Reason, state: String = "", constraint: String = "", _ message: String = "") {
        self.reason = reason
        self.state = state
        self.constraint = constraint
        self.message = message
    }

    package static let aborted = PostgresError(.aborted, "a statement before it has failed")

    /// Whether the same, done again, may well succeed: nothing was kept, and nothing is wrong with it.
    package var mayBeRepeated: Bool {
        switch self.reason {
        case .serialization, .deadlock, .lockTimeout, .idleInTransactionTimeout, .shutdown, .starting,
            .tooManyConnections, .unreachable:
            true
        case .unique, .constraint, .statementTimeout, .diskFull, .readOnly, .authentication, .untrusted,
            .noSuchDatabase, .pooled, .noLibrary, .aborted, .broken, .other:
            false
        }
    }

    package var description: String {
        let code = self.state.isEmpty ? "" : " (\(self.state))"
        return "PostgreSQL: \(self.message.isEmpty ? "\(self.reason)" : self.message)\(code)"
    }
}

extension PostgresError {
    /// From what the server says in its fields.
    init(state: String, constraint: String = "", serverMessage: String) {
        self.init(Reason(state: state), state: state, constraint: constraint, Self.withoutValues(serverMessage, state))
    }

    /// Only data exceptions (class 22) and syntax errors quote what was given to them, behind a colon or in quotes.
    private static func withoutValues(_ message: String, _ state: String) -> String {
        guard state.hasPrefix("22") else { return message }
        return String(message.prefix { $0 != ":" && $0 != "\"" })
    }
}

extension PostgresError.Reason {
    init(state: String) {
        self =
            switch state {
            case "23505": .unique
            case "40001": .serialization
            case "40P01": .deadlock
            case "55P03": .lockTimeout
            case "57014": .statementTimeout
            case "25P03": .idleInTransactionTimeout
            case "57P01", "57P02", "57P05": .shutdown
            case "57P03": .starting
            case "53100": .diskFull
            case "53300": .tooManyConnections
            case "25006": .readOnly
            case "3D000": .noSuchDatabase
            case _ where state.hasPrefix("23"): .constraint
            case _ where state.hasPrefix("28"): .authentication
            case _ where state.hasPrefix("08"): .broken
            default: .other
            }
    }
}
