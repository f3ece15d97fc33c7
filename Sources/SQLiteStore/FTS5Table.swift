internal import Conversing
internal import Keeping
internal import SQLTables

/// Words in a table of FTS5 without content: https://www.sqlite.org/fts5.html
final class FTS5Table: SearchTable {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    private static let found = """
        SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?
        """

    /// The index's terms one by one (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module): a table of each connection,
    /// not of the file.
    static let makeVocabulary = "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, instance);"

    /// The terms with a prefix, by one seek for each and without reading their messages: the first that is `?1` or greater, then the
    /// first that is greater than that. All with the prefix `?1` are less than `?2`.
    private static let termsWithPrefix = """
        WITH RECURSIVE found (word) AS (
            SELECT (SELECT term FROM temp.terms WHERE term >= ?1 AND term < ?2 LIMIT 1)
            UNION ALL
            SELECT (SELECT term FROM temp.terms WHERE term >= word || char(1) AND term < ?2 LIMIT 1)
            FROM found WHERE word IS NOT NULL
            LIMIT ?3)
        SELECT word FROM found WHERE word IS NOT NULL
        """

    /// The prefixes of one search become at most so many terms. A seek takes as long as merging some hundred messages.
    static let maximumTerms = 64

    package func index(_ words: String, as key: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.key(key), .text(words)])
    }

    package func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        try self.connection.run(sql, [.key(key), .text(words)])
    }

    package func search(
        _ phrases: [SearchPhrase], in ranges: [SearchRange], limit: Int
    ) throws(StoreError) -> [EntryKey] {
        guard let query = try self.query(for: phrases) else { return [] }
        var found: [EntryKey] = []
        for range in ranges where found.count < limit {
            let values = [.text(query)] + SQLValue.keys(range.key, range.numbers) + [.count(limit - found.count)]
            found += try self.connection.all(Self.found, values) { row in EntryKey(packed: row.integer(0)) }
        }
        return found
    }

    /// In the syntax of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax); no word holds a quotation mark. Nil when
    /// nothing can match.
    ///
    /// FTS5 reads the messages with a term from the latest on and stops at the limit. For a prefix it first merges the messages of all
    /// its terms, of all conversations on the server. So a prefix of few terms is asked for as these terms.
    func query(for phrases: [SearchPhrase]) throws(StoreError) -> String? {
        var (parts, room) = ([String](), Self.maximumTerms)
        for phrase in phrases {
            switch phrase {
            case .sequence(let words): parts.append(Self.quoted(words.joined(separator: " ")))
            case .prefix(let prefix):
                let terms = try self.terms(withPrefix: prefix, limit: room + 1)
                if terms.isEmpty { return nil }
                let areFew = terms.count <= room
                parts.append(
                    areFew ? "(\(terms.map(Self.quoted).joined(separator: " OR ")))" : "\(Self.quoted(prefix)) *")
                if areFew { room -= terms.count }
            }
        }
        return parts.joined(separator: " AND ")
    }

    private func terms(withPrefix prefix: String, limit: Int) throws(StoreError) -> [String] {
        let values: [SQLValue] = [.text(prefix), .text("\(prefix)\u{10FFFF}"), .count(limit)]
        return try self.connection.all(Self.termsWithPrefix, values) { row in row.text(0) ?? "" }
    }

    private static func quoted(_ words: String) -> String { "\"\(words)\"" }
}
