package import Conversing
package import Keeping
package import Vocabulary

private enum ModeratorColumn: Int, Column { case user, since }

extension SQLTables {
    private static let putModerator = "INSERT INTO moderators \(ModeratorColumn.replacement(of: .user))"

    package func isModerator(_ user: UserID) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM moderators WHERE user = ?", [.user(user)])
    }

    package func moderators() throws(StoreError) -> [Moderator] {
        let sql = "SELECT \(ModeratorColumn.list()) FROM moderators ORDER BY user"
        return try self.connection.all(sql) { (row: Row<ModeratorColumn>) throws(StoreError) in
            Moderator(try row.required(.user) { UserID($0) }, since: row.requiredTime(.since))
        }
    }

    package func put(_ moderator: Moderator) throws(StoreError) {
        try self.connection.run(Self.putModerator, [.user(moderator.user), .time(moderator.since)])
    }

    package func removeModerator(_ user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM moderators WHERE user = ?", [.user(user)])
    }
}

// MARK: - Who was sent away, and who may only listen

private enum SanctionColumn: Int, Column { case conversation, user, kind, actor, time, until, reason }

extension Sanction {
    fileprivate init(_ row: Row<SanctionColumn>) throws(StoreError) {
        self.init(
            try row.required(.kind) { Kind(rawValue: $0) }, of: try row.required(.user) { UserID($0) },
            by: row.text(.actor).flatMap { UserID($0) }, at: row.requiredTime(.time), until: row.time(.until),
            reason: row.text(.reason).flatMap { DisplayName($0) })
    }
}

extension SQLTables {
    private static let putSanction =
        "INSERT INTO sanctions \(SanctionColumn.replacement(of: .conversation, .user, .kind))"
    private static let sanctionsAfter = """
        SELECT \(SanctionColumn.list()) FROM sanctions WHERE conversation = ? AND (user, kind) > (?, ?)
        AND (until IS NULL OR until > ?) ORDER BY user, kind LIMIT ?
        """

    package func put(_ sanction: Sanction, in key: ConversationKey) throws(StoreError) {
        try self.connection.run(Self.putSanction) { (column: SanctionColumn) in
            switch column {
            case .conversation: .key(key)
            case .user: .user(sanction.user)
            case .kind: .text(sanction.kind.rawValue)
            case .actor: .user(sanction.actor)
            case .time: .time(sanction.time)
            case .until: .time(sanction.until)
            case .reason: .text(sanction.reason?.text)
            }
        }
    }

    package func removeSanction(_ kind: Sanction.Kind, of user: UserID, in key: ConversationKey) throws(StoreError) {
        let sql = "DELETE FROM sanctions WHERE conversation = ? AND user = ? AND kind = ?"
        try self.connection.run(sql, [.key(key), .user(user), .text(kind.rawValue)])
    }

    package func sanctions(
        of key: ConversationKey, after place: SanctionPlace?, at now: WallTime, limit: Int
    ) throws(StoreError) -> [Sanction] {
        let values: [SQLValue] = [
            .key(key), .text(place?.user.text ?? ""), .text(place?.kind.rawValue ?? ""), .time(now), .count(limit),
        ]
        return try self.connection.all(Self.sanctionsAfter, values, read: Sanction.init)
    }

    package func removeSanctions(endedBy now: WallTime) throws(StoreError) {
        try self.connection.run("DELETE FROM sanctions WHERE until <= ?", [.time(now)])
    }
}
