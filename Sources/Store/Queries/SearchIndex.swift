internal import Conversing
internal import Vocabulary

/// The words of messages. It follows what is written at some distance, in large portions, because one large portion
/// costs a fraction of many small ones; whoever searches waits until it has caught up.
enum SearchIndex {
    enum Scope: Hashable, Sendable {
        /// What was written since the program began.
        case background
        case user(UserID)
        case conversation(ConversationID)
    }

    /// Puts the next messages into the index. Answers whether more wait.
    struct CatchUp: StoreRequest {
        let scope: Scope
        let limit: Int

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Bool {
            var room = self.limit
            for key in try self.keys(connection) {
                room -= try self.index(key, atMost: room, connection)
                guard room > 0 else { return true }
                connection.memory.unindexed.remove(key)
            }
            return false
        }

        private func keys(_ connection: borrowing Connection) throws(StoreError) -> [ConversationKey] {
            switch self.scope {
            case .background: return Array(connection.memory.unindexed)
            case .conversation(let id):
                return try connection.all("SELECT number FROM conversations WHERE id = ?", [.text(id.text)]) {
                    ConversationKey($0.integer(0))
                }
            case .user(let user):
                let sql = """
                    SELECT c.number FROM members m JOIN conversations c ON c.number = m.conversation WHERE m.user = ?
                    AND c.indexed < (SELECT max(id) & 4294967295 FROM entries
                        WHERE id BETWEEN c.number << 32 AND (c.number << 32) + 4294967295)
                    """
                return try connection.all(sql, [.user(user)]) { ConversationKey($0.integer(0)) }
            }
        }

        private func index(
            _ key: ConversationKey, atMost limit: Int, _ connection: borrowing Connection
        ) throws(StoreError) -> Int {
            let sql = "SELECT id, sort, body FROM entries WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?"
            let start = try SearchIndex.indexed(key, connection)
            let rows = try connection.all(
                sql,
                [
                    .integer(key.id(of: start + 1)), .integer(key.id(of: ConversationKey.maximumEntry)),
                    .integer(Int64(limit)),
                ]
            ) { row in
                (row.integer(0), row.integer(1) == Int64(Entry.Sort.message.rawValue) ? row.blob(2) : [])
            }
            for (id, body) in rows where !body.isEmpty { try SearchIndex.add(body, id, connection) }
            guard let last = rows.last else { return 0 }
            try connection.run(
                "UPDATE conversations SET indexed = ? WHERE number = ?",
                [.number(ConversationKey.number(inID: last.0)), .integer(key.number)])
            return rows.count
        }
    }

    private static func indexed(
        _ key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> UInt64 {
        let sql = "SELECT indexed FROM conversations WHERE number = ?"
        return try connection.first(sql, [.integer(key.number)]) { $0.number(0) } ?? 0
    }

    private static func add(_ body: [UInt8], _ id: Int64, _ connection: borrowing Connection) throws(StoreError) {
        let words = SearchWords.indexed(MessageBody(proven: body).words)
        guard !words.isEmpty else { return }
        try connection.run("INSERT INTO words (rowid, text) VALUES (?, ?)", [.integer(id), .text(words)])
    }

    /// A message got other words, or none. Call it while the old ones are still there.
    static func replace(
        _ number: UInt64, in key: ConversationKey, with body: MessageBody?, _ connection: borrowing Connection
    ) throws(StoreError) {
        guard try self.indexed(key, connection) >= number,
            let old = try EntryQueries.entry(number, in: key, connection)?.body
        else { return }
        let id = key.id(of: number)
        let words = SearchWords.indexed(MessageBody(proven: old).words)
        if !words.isEmpty {
            try connection.run(
                "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", [.integer(id), .text(words)])
        }
        if let body { try self.add(body.json, id, connection) }
    }

    // MARK: - Looking

    struct Find: StoreRequest {
        let request: SearchRequest

        static let writes = false
        static let looksAside = true

        /// Whoever is in more conversations searches in those that moved last.
        private static let mostConversations = 500

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<EntryPage, ConversationRefusal> {
            guard let query = SearchWords.query(self.request.text) else { return .success(EntryPage()) }
            var lines = try ViewQueries.all(of: self.request.user, connection)
            if let wanted = self.request.conversation {
                lines.removeAll { $0.id != wanted }
                guard !lines.isEmpty else { return .failure(.notMember) }
            }
            var (page, bytes) = (EntryPage(), 0)
            for line in lines.prefix(Self.mostConversations) where !page.hasMore {
                try self.find(query, in: line, &page, &bytes, connection)
            }
            return .success(page)
        }

        private static let mostBytes = 1 << 20

        private func find(
            _ query: String, in line: ViewQueries.Line, _ page: inout EntryPage, _ bytes: inout Int,
            _ connection: borrowing Connection
        ) throws(StoreError) {
            let sql = """
                SELECT \(EntryQueries.columns) FROM entries WHERE id IN (
                    SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?
                    ORDER BY rowid DESC LIMIT ?)
                ORDER BY id DESC
                """
            let left = max(self.request.limit - page.items.count, 0)
            let values: [SQLValue] = [
                .text(query), .integer(line.key.id(of: line.since + 1)), .integer(line.key.id(of: line.last)),
                // One too many, to know whether there are more.
                .integer(Int64(clamping: left) + 1),
            ]
            let statement = try connection.prepare(sql, values)
            while try statement.step() {
                guard page.items.count < self.request.limit, bytes < Self.mostBytes else {
                    page.hasMore = true
                    return
                }
                let entry = try EntryQueries.read(statement)
                bytes += entry.size
                page.items.append(EntryPage.Item(conversation: line.id, key: line.key, entry: entry))
            }
        }
    }
}
