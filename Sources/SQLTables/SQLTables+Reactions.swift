package import Conversing
package import Keeping
package import Vocabulary

/// Reactions lie in the order of message, sign and user, and each sign is found by one step, however many have put it
/// there.
extension SQLTables {
    static let reactionsUnder = """
        WITH RECURSIVE kinds (reaction) AS (
            SELECT min(reaction) FROM reactions WHERE message = ?1
            UNION ALL
            SELECT (SELECT min(reaction) FROM reactions WHERE message = ?1 AND reaction > kinds.reaction)
            FROM kinds WHERE reaction IS NOT NULL)
        SELECT reaction FROM kinds WHERE reaction IS NOT NULL LIMIT ?2
        """
    static let firstReacted = "SELECT min(message) FROM reactions WHERE message BETWEEN ? AND ?"
    static let lastReacted = "SELECT max(message) FROM reactions WHERE message BETWEEN ? AND ?"
    static let usersReacting = """
        SELECT user FROM reactions WHERE message = ? AND reaction = ? ORDER BY user LIMIT ?
        """
    private static let oneReaction = "message = ? AND reaction = ? AND user = ?"
    static let hasReaction = "SELECT 1 FROM reactions WHERE \(oneReaction)"

    package func reactedEntry(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool
    ) throws(StoreError) -> UInt64? {
        let sql = fromEnd ? Self.lastReacted : Self.firstReacted
        return try self.connection.number(sql, SQLValue.keys(key, range)).map { EntryKey(packed: $0).number }
    }

    package func reactions(under key: EntryKey, limit: Int) throws(StoreError) -> [String] {
        try self.connection.all(Self.reactionsUnder, [.key(key), .count(limit)]) { $0.text(0) ?? "" }
    }

    package func users(reacting reaction: String, to key: EntryKey, limit: Int) throws(StoreError) -> [UserID] {
        let values: [SQLValue] = [.key(key), .text(reaction), .count(limit)]
        return try self.connection.all(Self.usersReacting, values) { row in row.text(0).flatMap { UserID($0) } }
            .compactMap(\.self)
    }

    package func hasReaction(_ reaction: String, of user: UserID, under key: EntryKey) throws(StoreError) -> Bool {
        try self.connection.exists(Self.hasReaction, [.key(key), .text(reaction), .user(user)])
    }

    package func putReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        let sql = "INSERT INTO reactions (message, reaction, user) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        try self.connection.run(sql, [.key(key), .text(reaction.text), .user(user)])
    }

    package func removeReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        let sql = "DELETE FROM reactions WHERE \(Self.oneReaction)"
        try self.connection.run(sql, [.key(key), .text(reaction.text), .user(user)])
    }

    package func removeReactions(under key: EntryKey) throws(StoreError) {
        try self.connection.run("DELETE FROM reactions WHERE message = ?", [.key(key)])
    }
}
