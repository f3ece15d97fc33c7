internal import PostgresLink
internal import SQLTables
internal import System

/// Statements as PostgreSQL understands them, found by the text they were written as. There are as many as our own code
/// writes down.
enum PostgresStatements {
    private struct Known {
        let shared: String
        let text: String
        /// The same without a way out: it fails where the other would change no row.
        let strict: String
    }

    private static let known = Locked([Known?](repeating: nil, count: 1024))

    /// - Parameter changesOne: whether what changes no row is to fail.
    static func text(of shared: String, changesOne: Bool = false) -> String {
        self.known.withLock { known in
            var bucket = shared.utf8.count &* 7 % known.count
            // They are far fewer than the buckets.
            while let found = known[bucket] {
                if found.shared == shared { return changesOne ? found.strict : found.text }
                bucket = (bucket + 1) % known.count
            }
            let text = PostgresDialect.statement(shared)
            let strict = text.replacing(/\s+ON CONFLICT .* DO NOTHING$/.dotMatchesNewlines(), with: "")
            known[bucket] = Known(shared: shared, text: text, strict: strict)
            return changesOne ? strict : text
        }
    }
}

extension PostgresValue {
    init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .bytes(bytes)
        }
    }
}
