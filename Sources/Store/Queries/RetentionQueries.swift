internal import Conversing
internal import Vocabulary

/// How long what is said stays.
enum RetentionQueries {
    struct Set: StoreRequest {
        let retention: Duration?
        let id: ConversationID
        let user: UserID

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Result<Void, ConversationRefusal> {
            guard let record = try ConversationBook.record(self.id, connection),
                let member = record.member(self.user)
            else { return .failure(.notMember) }
            guard record.machine.kind == .direct || member.role >= .admin else { return .failure(.forbidden) }
            try connection.run(
                "UPDATE conversations SET retention = ? WHERE number = ?",
                [self.retention.map { .integer($0.clampedMilliseconds) } ?? .null, .integer(record.key.number)])
            return .success(())
        }
    }

    struct Sweep: StoreRequest {
        let request: EntrySweep

        static let writes = true

        private static let conversationsAtOnce = 200

        func perform(on connection: borrowing Connection) throws(StoreError) -> SweptEntries {
            var swept = SweptEntries()
            let conversations = try self.conversations(connection)
            for (key, retention) in conversations {
                let left = self.request.limit - swept.count
                let end = self.request.now + (.zero - retention)
                swept.count += try self.sweep(key, before: end, atMost: left, connection)
                if swept.count >= self.request.limit {
                    // There may be more in this one.
                    swept.next = key.number - 1
                    break
                }
            }
            if swept.next == nil, conversations.count == Self.conversationsAtOnce {
                swept.next = conversations.last?.0.number
            }
            if swept.count > 0 { connection.memory.forget() }
            return swept
        }

        private func conversations(
            _ connection: borrowing Connection
        ) throws(StoreError) -> [(ConversationKey, Duration)] {
            let isNamed = self.request.usual == nil ? "AND retention IS NOT NULL" : ""
            let sql = """
                SELECT number, retention FROM conversations WHERE number > ? \(isNamed) ORDER BY number LIMIT ?
                """
            let values: [SQLValue] = [.integer(self.request.start), .integer(Int64(Self.conversationsAtOnce))]
            return try connection.all(sql, values) { row in
                let named: Duration? = row.isNull(1) ? nil : .milliseconds(row.integer(1))
                let shortest = [named, self.request.usual].compactMap(\.self).min()
                return (ConversationKey(row.integer(0)), shortest ?? .seconds(Int64.max / 2000))
            }
        }

        /// The oldest go first, and the latest entry stays: the conversation's numbers and times go on from it.
        private func sweep(
            _ key: ConversationKey, before end: WallTime, atMost limit: Int, _ connection: borrowing Connection
        ) throws(StoreError) -> Int {
            let old = try self.old(key, before: end, atMost: limit, connection)
            for id in old {
                try SearchIndex.replace(ConversationKey.number(inID: id), in: key, with: nil, connection)
                try FileQueries.hideAll(in: id, connection)
                try connection.run("DELETE FROM reactions WHERE message = ?", [.integer(id)])
            }
            guard let last = old.last else { return 0 }
            let counted = try connection.first("SELECT counted FROM entries WHERE id = ?", [.integer(last)]) {
                $0.number(0)
            }
            try connection.run(
                "DELETE FROM entries WHERE id BETWEEN ? AND ?", [.integer(key.id(of: 0)), .integer(last)])
            try connection.run(
                "DELETE FROM outbox WHERE entry BETWEEN ? AND ?", [.integer(key.id(of: 0)), .integer(last)])
            try self.moveMembers(key, ConversationKey.number(inID: last), counted ?? 0, connection)
            return old.count
        }

        /// Within a conversation time does not run backwards, so the first one that is young enough ends the walk.
        private func old(
            _ key: ConversationKey, before end: WallTime, atMost limit: Int, _ connection: borrowing Connection
        ) throws(StoreError) -> [Int64] {
            let statement = try connection.prepare(
                "SELECT id, time FROM entries WHERE id BETWEEN ? AND ? ORDER BY id", key.range)
            var ids: [Int64] = []
            while try statement.step() {
                guard statement.integer(1) < end.milliseconds else { return ids }
                ids.append(statement.integer(0))
                if ids.count > limit { break }
            }
            // Either one too many, or the latest.
            return ids.dropLast()
        }

        /// What is gone cannot be unread, and nobody waits for it.
        private func moveMembers(
            _ key: ConversationKey, _ last: UInt64, _ counted: UInt64, _ connection: borrowing Connection
        ) throws(StoreError) {
            let number = SQLValue.integer(key.number)
            try connection.run(
                "UPDATE members SET since = ? WHERE conversation = ? AND since < ?",
                [.number(last), number, .number(last)])
            try connection.run(
                "UPDATE members SET read = ?, read_counted = ? WHERE conversation = ? AND read < ?",
                [.number(last), .number(counted), number, .number(last)])
        }
    }
}
