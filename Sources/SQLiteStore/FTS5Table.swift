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

    /// The words that begin so, by a step to each of them, past all messages that have it: the first at `?1` or behind it, then the
    /// first behind that one. Nothing that begins with `?1` stands behind `?2`.
    private static let beginning = """
        WITH RECURSIVE found (word) AS (
            SELECT (SELECT term FROM temp.terms WHERE term >= ?1 AND term < ?2 LIMIT 1)
            UNION ALL
            SELECT (SELECT term FROM temp.terms WHERE term >= word || char(1) AND term < ?2 LIMIT 1)
            FROM found WHERE word IS NOT NULL
            LIMIT ?3)
        SELECT word FROM found WHERE word IS NOT NULL
        """

    /// So many words stand for all beginnings of one search. A step takes as long as gathering some hundred messages.
    static let maximumWords = 64

    package func index(_ words: String, as key: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.key(key), .text(words)])
    }

    package func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        try self.connection.run(sql, [.key(key), .text(words)])
    }

    package func search(
        _ phrases: [SearchPhrase], in places: [SearchPlace], limit: Int
    ) throws(StoreError) -> [EntryKey] {
        guard let query = try self.query(for: phrases) else { return [] }
        var found: [EntryKey] = []
        for place in places where found.count < limit {
            let values = [.text(query)] + SQLValue.keys(place.key, place.numbers) + [.count(limit - found.count)]
            found += try self.connection.all(Self.found, values) { row in EntryKey(packed: row.integer(0)) }
        }
        return found
    }

    /// In the syntax of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax); no word holds a quotation mark. Nil when there
    /// is nothing to find.
    ///
    /// FTS5 walks the messages with a word from the latest on and stops where enough was found. Those with a beginning it gathers
    /// first, out of everybody's conversations. So what is asked for is each of the words that begin so, where they are few.
    func query(for phrases: [SearchPhrase]) throws(StoreError) -> String? {
        var (parts, room) = ([String](), Self.maximumWords)
        for phrase in phrases {
            switch phrase {
            case .sequence(let words): parts.append(Self.quoted(words.joined(separator: " ")))
            case .beginning(let start):
                let words = try self.words(beginningWith: start, limit: room + 1)
                if words.isEmpty { return nil }
                let areFew = words.count <= room
                parts.append(
                    areFew ? "(\(words.map(Self.quoted).joined(separator: " OR ")))" : "\(Self.quoted(start)) *")
                if areFew { room -= words.count }
            }
        }
        return parts.joined(separator: " AND ")
    }

    private func words(beginningWith start: String, limit: Int) throws(StoreError) -> [String] {
        let values: [SQLValue] = [.text(start), .text("\(start)\u{10FFFF}"), .count(limit)]
        return try self.connection.all(Self.beginning, values) { row in row.text(0) ?? "" }
    }

    private static func quoted(_ words: String) -> String { "\"\(words)\"" }
}
