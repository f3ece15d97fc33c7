internal import Conversing
internal import Vocabulary

/// The signs under messages. They lie in the order of message, sign and user, and each sign is found by one step, however
/// many have put it there.
enum ReactionQueries {
    /// The different signs under the message `?1`, one more than there may be at most.
    private static let kinds = """
        WITH RECURSIVE kinds (reaction) AS (
            SELECT min(reaction) FROM reactions WHERE message = ?1
            UNION ALL
            SELECT (SELECT min(reaction) FROM reactions WHERE message = ?1 AND reaction > kinds.reaction)
            FROM kinds WHERE reaction IS NOT NULL LIMIT \(ConversationSettings().maxReactions + 1))
        """

    static let tallySQL = "\(kinds) SELECT reaction FROM kinds WHERE reaction IS NOT NULL"

    static let othersSQL = """
        \(kinds) SELECT count(*), coalesce(sum(EXISTS (
            SELECT 1 FROM reactions r WHERE r.message = ?1 AND r.reaction = kinds.reaction AND r.user = ?3)), 0)
        FROM kinds WHERE reaction IS NOT NULL AND reaction <> ?2
        """

    static let firstSQL = "SELECT min(message) FROM reactions WHERE message BETWEEN ? AND ?"
    static let lastSQL = "SELECT max(message) FROM reactions WHERE message BETWEEN ? AND ?"

    /// The first message from `first` on that has any, or the last one up to `last`.
    static func next(
        _ first: Int64, _ last: Int64, fromEnd: Bool, _ connection: borrowing Connection
    ) throws(StoreError) -> Int64? {
        let values: [SQLValue] = [.integer(first), .integer(last)]
        let found = try connection.first(fromEnd ? self.lastSQL : self.firstSQL, values) { row in
            row.isNull(0) ? nil : row.integer(0)
        }
        return found.flatMap(\.self)
    }

    /// Who put the same sign under a message.
    static func tallies(under message: Int64, _ connection: borrowing Connection) throws(StoreError) -> [ReactionTally]
    {
        let reactions = try connection.all(self.tallySQL, [.integer(message)]) { $0.text(0) ?? "" }
        var tallies: [ReactionTally] = []
        for reaction in reactions {
            tallies.append(ReactionTally(reaction, try self.users(reaction, under: message, connection)))
        }
        return tallies
    }

    /// Under a message with more of them, the count of names ends here.
    private static let mostUsers = 100

    private static func users(
        _ reaction: String, under message: Int64, _ connection: borrowing Connection
    ) throws(StoreError) -> [UserID] {
        let sql = "SELECT user FROM reactions WHERE message = ? AND reaction = ? ORDER BY user LIMIT \(self.mostUsers)"
        return try connection.all(sql, [.integer(message), .text(reaction)]) { row throws(StoreError) in
            try row.required(row.text(0).flatMap { UserID($0) }, "user id")
        }
    }

    static func others(
        than reaction: Reaction, by user: UserID, under message: Int64, _ connection: borrowing Connection
    ) throws(StoreError) -> OtherReactions {
        let values: [SQLValue] = [.integer(message), .text(reaction.text), .user(user)]
        let found = try connection.first(self.othersSQL, values) { row in
            OtherReactions(ofAll: Int(row.integer(0)), ofActor: Int(row.integer(1)))
        }
        return found ?? OtherReactions()
    }
}
