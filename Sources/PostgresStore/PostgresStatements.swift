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
        /// How both are said of many rows.
        let gathered: GatheredStatement?
        let gatheredStrict: GatheredStatement?
        /// Where it reads and writes.
        let tables: [String]

        init(_ shared: String) {
            self.shared = shared
            self.text = PostgresDialect.statement(shared)
            self.strict = self.text.replacing(/\s+ON CONFLICT .* DO NOTHING$/.dotMatchesNewlines(), with: "")
            self.gathered = GatheredStatement(self.text)
            self.gatheredStrict = GatheredStatement(self.strict)
            self.tables = Self.tables(in: shared)
        }

        private static func tables(in sql: String) -> [String] {
            let words = sql.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            return zip(words, words.dropFirst()).compactMap { word, next in
                ["FROM", "JOIN", "INTO", "UPDATE"].contains(word) ? String(next) : nil
            }
        }
    }

    /// All that a statement names in the place of a table.
    static func tables(of shared: String) -> [String] { self.find(shared).tables }

    private static let known = Locked([Known?](repeating: nil, count: 1024))

    /// - Parameter changesOne: whether what changes no row is to fail.
    static func text(of shared: String, changesOne: Bool = false) -> String {
        let found = self.find(shared)
        return changesOne ? found.strict : found.text
    }

    /// How a write is said of many rows, where that is possible.
    static func gathered(_ shared: String, changesOne: Bool) -> GatheredStatement? {
        let found = self.find(shared)
        return changesOne ? found.gatheredStrict : found.gathered
    }

    private static func find(_ shared: String) -> Known {
        self.known.withLock { known in
            var bucket = shared.utf8.count &* 7 % known.count
            // They are far fewer than the buckets.
            while let found = known[bucket] {
                if found.shared == shared { return found }
                bucket = (bucket + 1) % known.count
            }
            let new = Known(shared)
            known[bucket] = new
            return new
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
