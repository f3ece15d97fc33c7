internal import Conversing
internal import Keeping
internal import SQLTables

/// Words in a `tsvector` of ours: https://www.postgresql.org/docs/current/datatype-textsearch.html. PostgreSQL cuts no
/// text; each word has the place we give it.
final class TSVectorTable: SearchTable {
    private let connection: any SQLConnection

    init(_ connection: any SQLConnection) { self.connection = connection }

    /// Places behind it are the same one for PostgreSQL.
    private static let lastPlace = 16_383

    func index(_ words: String, as key: EntryKey) throws(StoreError) {
        let sql = """
            INSERT INTO words (id, words) VALUES (?, CAST(CAST(? AS TEXT) AS TSVECTOR))
            ON CONFLICT (id) DO UPDATE SET words = excluded.words
            """
        try self.connection.run(sql, [.key(key), .text(Self.vector(words, in: key.conversation))])
    }

    func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        try self.connection.run("DELETE FROM words WHERE id = ?", [.key(key)])
    }

    private static let found = """
        SELECT id FROM words WHERE words @@ CAST(CAST(? AS TEXT) AS TSQUERY) AND id BETWEEN ? AND ?
        ORDER BY id DESC LIMIT ?
        """

    /// At most so many ranges are searched in one round trip: one at first, since a frequent word fills a page from it, and twice as many
    /// each time.
    private static let maximumRangesAtOnce = 32

    func search(
        _ phrases: [SearchPhrase], in ranges: [SearchRange], limit: Int
    ) throws(StoreError) -> [EntryKey] {
        let phrases = phrases.map(Self.query)
        var (found, rest, atOnce) = ([EntryKey](), ranges[...], 1)
        while found.count < limit, !rest.isEmpty {
            let values = rest.prefix(atOnce).map { range in
                let query = ([Self.quoted(Self.place(range.key))] + phrases).joined(separator: " & ")
                return [.text(query)] + SQLValue.keys(range.key, range.numbers) + [.count(limit - found.count)]
            }
            found += try self.connection.allOfEach(Self.found, values) { row in EntryKey(packed: row.integer(0)) }
            rest = rest.dropFirst(atOnce)
            atOnce = min(atOnce * 2, Self.maximumRangesAtOnce)
        }
        return Array(found.prefix(limit))
    }

    private static func vector(_ words: String, in key: ConversationKey) -> String {
        let placed = words.split(separator: " ").enumerated().map { index, word in
            "\(self.quoted(word)):\(min(index + 1, self.lastPlace))"
        }
        return ([self.quoted(self.place(key))] + placed).joined(separator: " ")
    }

    /// A word that no message has: which conversation it is in.
    private static func place(_ key: ConversationKey) -> String { "#\(key.number)" }

    private static func query(_ phrase: SearchPhrase) -> String {
        switch phrase {
        case .prefix(let word): "\(self.quoted(word)):*"
        case .sequence(let words): "(\(words.map { self.quoted($0) }.joined(separator: " <-> ")))"
        }
    }

    private static func quoted(_ word: some StringProtocol) -> String {
        "'\(String(word).replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
    }
}
