internal import Conversing
internal import Vocabulary

/// How far people got.
enum MarkQueries {
    struct Mark: StoreRequest {
        let request: MarkRequest

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Result<Marked, ConversationRefusal> {
            guard let record = try ConversationBook.record(self.request.conversation, connection) else {
                return .failure(.unknown)
            }
            guard let before = record.member(self.request.user) else { return .failure(.notMember) }
            let furthest = max(self.request.delivered ?? 0, self.request.read ?? 0)
            guard furthest <= record.machine.last else { return .failure(.noMessage) }
            var member = before
            if let read = self.request.read, read > before.read {
                let counted = try Self.counted(read, in: record, connection)
                do throws(ConversationRefusal) {
                    member = try record.machine.reading(read, counted: counted, by: before.user) ?? before
                } catch {
                    return .failure(error)
                }
                try ConversationBook.update(member, of: record.key, connection)
                record.machine.accepted(member)
            }
            let isNews = try self.writeCursor(furthest, record.key, connection) || member != before
            return .success(
                Marked(
                    key: record.key, kind: record.machine.kind, memberCount: record.machine.members.count,
                    delivered: max(furthest, member.read), read: member.read,
                    unread: record.machine.unread(
                        of: member, recalled: try MarkQueries.recalled(after: member.read, in: record.key, connection)),
                    badge: try MarkQueries.badge(of: member.user, connection),
                    isNews: isNews))
        }

        /// What was read was delivered.
        private func writeCursor(
            _ delivered: UInt64, _ key: ConversationKey, _ connection: borrowing Connection
        ) throws(StoreError) -> Bool {
            let sql = """
                INSERT INTO cursors (user, device, conversation, delivered, read, time) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (user, device, conversation) DO UPDATE SET
                    delivered = max(delivered, excluded.delivered), read = max(read, excluded.read),
                    time = excluded.time
                WHERE delivered < excluded.delivered OR read < excluded.read
                """
            let values: [SQLValue] = [
                .user(self.request.user), .text(self.request.device.text), .integer(key.number), .number(delivered),
                .number(self.request.read ?? 0), .time(self.request.now),
            ]
            return try connection.run(sql, values) > 0
        }

        private static func counted(
            _ number: UInt64, in record: ConversationRecord, _ connection: borrowing Connection
        ) throws(StoreError) -> UInt64 {
            if number == record.machine.last { return record.machine.counted }
            let sql = "SELECT counted FROM entries WHERE id = ?"
            return try connection.first(sql, [.integer(record.key.id(of: number))]) { $0.number(0) } ?? 0
        }
    }

    /// How many messages wait for somebody in all of their conversations: the sum of what each of them says.
    static func badge(of user: UserID, _ connection: borrowing Connection) throws(StoreError) -> UInt64 {
        try connection.first(self.badgeSQL, [.user(user)]) { $0.number(0) } ?? 0
    }

    /// One step down the tree of entries for each conversation, and one down that of recalled ones where something waits.
    static let badgeSQL = """
        SELECT coalesce(sum(max(0, e.counted - m.read_counted - (
                SELECT count(*) FROM entries r INDEXED BY recalled_entries WHERE r.recalled IS NOT NULL
                    AND r.id > (m.conversation << 32) + m.read AND r.id <= (m.conversation << 32) + 4294967295))), 0)
        FROM members m JOIN entries e ON e.id =
            (SELECT max(id) FROM entries WHERE id BETWEEN m.conversation << 32 AND (m.conversation << 32) + 4294967295)
        WHERE m.user = ? AND e.counted > m.read_counted
        """

    /// How many messages after a mark were taken back.
    static func recalled(
        after number: UInt64, in key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> UInt64 {
        let sql = """
            SELECT count(*) FROM entries INDEXED BY recalled_entries
            WHERE recalled IS NOT NULL AND id > ? AND id <= ?
            """
        let values: [SQLValue] = [
            .integer(key.id(of: number)), .integer(key.id(of: ConversationKey.maximumEntry)),
        ]
        return try connection.first(sql, values) { $0.number(0) } ?? 0
    }

    struct Clear: StoreRequest {
        let conversation: ConversationID
        let user: UserID

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Result<UInt64, ConversationRefusal> {
            guard let record = try ConversationBook.record(self.conversation, connection),
                var member = record.member(self.user)
            else { return .failure(.notMember) }
            member.since = record.machine.last
            member.read = record.machine.last
            member.readCounted = record.machine.counted
            try ConversationBook.update(member, of: record.key, connection)
            record.machine.accepted(member)
            return .success(member.since)
        }
    }

    struct SetMuted: StoreRequest {
        let conversation: ConversationID
        let user: UserID
        let isMuted: Bool

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Result<Void, ConversationRefusal> {
            let sql = """
                UPDATE members SET muted = ?
                WHERE user = ? AND conversation = (SELECT number FROM conversations WHERE id = ?)
                """
            let values: [SQLValue] = [
                .integer(self.isMuted ? 1 : 0), .user(self.user), .text(self.conversation.text),
            ]
            return try connection.run(sql, values) > 0 ? .success(()) : .failure(.notMember)
        }
    }
}
