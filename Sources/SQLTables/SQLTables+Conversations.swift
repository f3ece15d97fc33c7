package import Conversing
package import Keeping
package import Vocabulary

enum ConversationColumn: Int, Column {
    case number, id, kind, title, subject, created, dissolved, indexed, retention, slowMode
}

extension ConversationRow {
    init(_ row: Row<ConversationColumn>) throws(StoreError) {
        self.init(
            ConversationKey(row.integer(.number)), try row.required(.id) { ConversationID($0) },
            try row.required(.kind) { ConversationKind(rawValue: $0) }, created: row.requiredTime(.created))
        self.title = row.text(.title).flatMap { DisplayName($0) }
        self.subject = row.text(.subject)
        self.dissolved = row.time(.dissolved)
        self.indexed = row.number(.indexed)
        self.retention = row.isNull(.retention) ? nil : .milliseconds(row.integer(.retention))
        self.slowMode = row.isNull(.slowMode) ? nil : .milliseconds(row.integer(.slowMode))
    }

    fileprivate func value(of column: ConversationColumn) -> SQLValue {
        switch column {
        case .number: .key(self.key)
        case .id: .text(self.id.text)
        case .kind: .text(self.kind.rawValue)
        case .title: .text(self.title?.text)
        case .subject: .text(self.subject)
        case .created: .time(self.created)
        case .dissolved: .time(self.dissolved)
        case .indexed: .number(self.indexed)
        case .retention: .duration(self.retention)
        case .slowMode: .duration(self.slowMode)
        }
    }
}

extension SQLValue {
    fileprivate static func duration(_ duration: Duration?) -> SQLValue {
        duration.map { .integer($0.clampedMilliseconds) } ?? .null
    }
}

extension SQLTables {
    private static let conversations = "SELECT \(ConversationColumn.list()) FROM conversations"
    private static let conversationByID = "\(conversations) WHERE id = ?"
    private static let conversationByKey = "\(conversations) WHERE number = ?"
    private static let conversationsAfter = "\(conversations) WHERE number > ? ORDER BY number LIMIT ?"
    private static let shortConversationsAfter = """
        \(conversations) WHERE number > ? AND retention IS NOT NULL ORDER BY number LIMIT ?
        """
    private static let updates = ConversationColumn.allCases.map { column in
        "UPDATE conversations SET \(column.name) = ? WHERE number = ?"
    }
    private static let insertConversation = "INSERT INTO conversations \(ConversationColumn.insertion)"

    package func conversation(_ id: ConversationID) throws(StoreError) -> ConversationRow? {
        try self.connection.first(Self.conversationByID, [.text(id.text)], read: ConversationRow.init)
    }

    package func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationRow? {
        try self.connection.first(Self.conversationByKey, [.key(key)], read: ConversationRow.init)
    }

    package func conversations(
        _ keys: [ConversationKey]
    ) throws(StoreError) -> [ConversationKey: ConversationRow] {
        try self.connection.firstOfEach(
            Self.conversationByKey, keys, as: { .key($0) }, read: ConversationRow.init)
    }

    private static let headsAtOnce = 100
    private static let heads = """
        SELECT c.id, \(EntryLayout.number(of: EntryLayout.latest(of: "c.number"))) FROM conversations c
        WHERE c.id IN (\(Array(repeating: "?", count: headsAtOnce).joined(separator: ", ")))
        """

    /// A portion has always the same length, so that an engine knows the statement.
    package func heads(of ids: [ConversationID]) throws(StoreError) -> [ConversationHead] {
        var (heads, rest) = ([ConversationHead](), ids[...])
        while !rest.isEmpty {
            let portion = rest.prefix(Self.headsAtOnce)
            rest = rest.dropFirst(portion.count)
            let padding = Array(repeating: SQLValue.null, count: Self.headsAtOnce - portion.count)
            let values = portion.map { SQLValue.text($0.text) } + padding
            heads += try self.connection.all(Self.heads, values) { row -> ConversationHead? in
                guard !row.isNull(1), let id = row.text(0).flatMap({ ConversationID($0) }) else { return nil }
                return ConversationHead(id, UInt64(clamping: row.integer(1)))
            }
            .compactMap { $0 }
        }
        return heads
    }

    package func isSubject(_ subject: String) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM conversations WHERE subject = ?", [.text(subject)])
    }

    package func direct(_ pair: UserPair) throws(StoreError) -> ConversationKey? {
        let sql = "SELECT conversation FROM directs WHERE low = ? AND high = ?"
        return try self.connection.number(sql, [.user(pair.low), .user(pair.high)]).map { ConversationKey($0) }
    }

    package func conversations(
        after key: ConversationKey, withRetention: Bool, limit: Int
    ) throws(StoreError) -> [ConversationRow] {
        let sql = withRetention ? Self.shortConversationsAfter : Self.conversationsAfter
        return try self.connection.all(sql, [.key(key), .count(limit)], read: ConversationRow.init)
    }

    package func nextConversationKey() throws(StoreError) -> ConversationKey {
        ConversationKey((try self.connection.number("SELECT max(number) FROM conversations") ?? 0) + 1)
    }

    package func insert(_ conversation: ConversationRow) throws(StoreError) {
        try self.connection.run(Self.insertConversation, conversation.value(of:))
    }

    package func insertDirect(_ pair: UserPair, _ key: ConversationKey) throws(StoreError) {
        let sql = "INSERT INTO directs (low, high, conversation) VALUES (?, ?, ?)"
        try self.connection.run(sql, [.user(pair.low), .user(pair.high), .key(key)])
    }

    package func update(_ key: ConversationKey, _ change: ConversationRow.Change) throws(StoreError) {
        let (column, value): (ConversationColumn, SQLValue) =
            switch change {
            case .title(let title): (.title, .text(title.text))
            case .dissolved(let time): (.dissolved, .time(time))
            case .indexed(let number): (.indexed, .number(number))
            case .retention(let retention): (.retention, .duration(retention))
            case .slowMode(let slowMode): (.slowMode, .duration(slowMode))
            }
        try self.connection.run(Self.updates[column.rawValue], [value, .key(key)])
    }
}

// MARK: - Who does not want to hear from whom

extension SQLTables {
    package func isBlocked(_ other: UserID, by user: UserID) throws(StoreError) -> Bool {
        let sql = "SELECT 1 FROM blocks WHERE user = ? AND blocked = ?"
        return try self.connection.exists(sql, [.user(user), .user(other)])
    }

    package func blocked(by user: UserID) throws(StoreError) -> [UserID] {
        let sql = "SELECT blocked FROM blocks WHERE user = ? ORDER BY blocked"
        return try self.connection.all(sql, [.user(user)]) { row in row.text(0).flatMap { UserID($0) } }
            .compactMap(\.self)
    }

    package func putBlock(of other: UserID, by user: UserID) throws(StoreError) {
        let sql = "INSERT INTO blocks (user, blocked) VALUES (?, ?) ON CONFLICT DO NOTHING"
        try self.connection.run(sql, [.user(user), .user(other)])
    }

    package func removeBlock(of other: UserID, by user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM blocks WHERE user = ? AND blocked = ?", [.user(user), .user(other)])
    }

    package func removeBlocks(by user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM blocks WHERE user = ?", [.user(user)])
    }
}
