internal import Conversing
internal import Keeping
internal import Vocabulary

/// Reactions lie in the order of message, sign and user, and each sign is found by one step, however many have put it
/// there.
extension SQLiteTables {
    static let reactionsUnder = """
        WITH RECURSIVE kinds (reaction) AS (
            SELECT min(reaction) FROM reactions WHERE message = ?1
            UNION ALL
            SELECT (SELECT min(reaction) FROM reactions WHERE message = ?1 AND reaction > kinds.reaction)
            FROM kinds WHERE reaction IS NOT NULL LIMIT ?2)
        SELECT reaction FROM kinds WHERE reaction IS NOT NULL
        """
    static let firstReacted = "SELECT min(message) FROM reactions WHERE message BETWEEN ? AND ?"
    static let lastReacted = "SELECT max(message) FROM reactions WHERE message BETWEEN ? AND ?"
    static let usersReacting = """
        SELECT user FROM reactions WHERE message = ? AND reaction = ? ORDER BY user LIMIT ?
        """
    private static let oneReaction = "message = ? AND reaction = ? AND user = ?"
    static let hasReaction = "SELECT 1 FROM reactions WHERE \(oneReaction)"

    func reactedEntry(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool
    ) throws(StoreError) -> UInt64? {
        let sql = fromEnd ? Self.lastReacted : Self.firstReacted
        return try self.connection.number(sql, SQLValue.keys(key, range)).map { EntryKey(packed: $0).number }
    }

    func reactions(under key: EntryKey, limit: Int) throws(StoreError) -> [String] {
        try self.connection.all(Self.reactionsUnder, [.key(key), .count(limit)]) { $0.text(0) ?? "" }
    }

    func users(reacting reaction: String, to key: EntryKey, limit: Int) throws(StoreError) -> [UserID] {
        let values: [SQLValue] = [.key(key), .text(reaction), .count(limit)]
        return try self.connection.all(Self.usersReacting, values) { row in row.text(0).flatMap { UserID($0) } }
            .compactMap(\.self)
    }

    func hasReaction(_ reaction: String, of user: UserID, under key: EntryKey) throws(StoreError) -> Bool {
        try self.connection.exists(Self.hasReaction, [.key(key), .text(reaction), .user(user)])
    }

    func putReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        let sql = "INSERT OR IGNORE INTO reactions (message, reaction, user) VALUES (?, ?, ?)"
        try self.connection.run(sql, [.key(key), .text(reaction.text), .user(user)])
    }

    func removeReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        let sql = "DELETE FROM reactions WHERE \(Self.oneReaction)"
        try self.connection.run(sql, [.key(key), .text(reaction.text), .user(user)])
    }

    func removeReactions(under key: EntryKey) throws(StoreError) {
        try self.connection.run("DELETE FROM reactions WHERE message = ?", [.key(key)])
    }
}

// MARK: - Words

extension SQLiteTables {
    private static let found = """
        SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?
        """

    func index(_ words: String, as key: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.key(key), .text(words)])
    }

    func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
        try self.connection.run(sql, [.key(key), .text(words)])
    }

    func search(
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
