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

    package func index(_ words: String, as key: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.key(key), .text(words)])
    }

    package func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        try self.connection.run(sql, [.key(key), .text(words)])
    }

    package func search(
        _ phrases: [SearchPhrase], in key: ConversationKey, _ range: ClosedRange<UInt64>, limit: Int
    ) throws(StoreError) -> [UInt64] {
        let query = phrases.map(\.inFTS5).joined(separator: " AND ")
        let values = [.text(query)] + SQLValue.keys(key, range) + [.count(limit)]
        return try self.connection.all(Self.found, values) { row in EntryKey(packed: row.integer(0)).number }
    }
}

extension SearchPhrase {
    /// In the syntax of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax). No word holds a quotation mark.
    fileprivate var inFTS5: String {
        switch self {
        case .beginning(let word): "\"\(word)\" *"
        case .sequence(let words): "\"\(words.joined(separator: " "))\""
        }
    }
}
