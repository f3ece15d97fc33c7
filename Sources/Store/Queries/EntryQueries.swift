internal import Conversing
internal import Vocabulary

/// Entries as rows.
enum EntryQueries {
    static let columns =
        "id, counted, sort, sender, time, client, kind, target, mentions, forwarded, body, edited, recalled"

    /// The same where several tables are asked.
    static func columns(of table: String) -> String {
        self.columns.split(separator: ", ").map { "\(table).\($0)" }.joined(separator: ", ")
    }

    /// False when its sender has written something under this name before.
    static func insert(
        _ entry: Entry, in key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> Bool {
        let sql = """
            INSERT INTO entries (id, counted, sort, sender, time, client, kind, target, mentions, forwarded, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (sender, client) WHERE client IS NOT NULL DO NOTHING
            """
        return try connection.run(
            sql,
            [
                .integer(key.id(of: entry.number)), .number(entry.counted), .integer(Int64(entry.sort.rawValue)),
                .user(entry.sender), .time(entry.time), .text(entry.client?.text), .text(entry.kind?.text),
                entry.target.map { .integer(key.id(of: $0)) } ?? .null,
                entry.mentions.isEmpty ? .null : .text(entry.mentions.map(\.text).joined(separator: " ")),
                entry.isForwarded ? .integer(1) : .null, entry.body.map(SQLValue.blob) ?? .null,
            ]) == 1
    }

    static func read(_ row: borrowing Statement) throws(StoreError) -> Entry {
        var entry = Entry(
            number: ConversationKey.number(inID: row.integer(0)), counted: row.number(1),
            sort: try row.required(Entry.Sort(rawValue: Int(row.integer(2))), "sort of entry"),
            sender: try row.required(row.text(3).flatMap { UserID($0) }, "sender"),
            time: WallTime(milliseconds: row.integer(4)))
        entry.client = row.text(5).flatMap { MessageID($0) }
        entry.kind = row.text(6).flatMap { MessageKind($0) }
        entry.target = row.isNull(7) ? nil : ConversationKey.number(inID: row.integer(7))
        entry.mentions = (row.text(8) ?? "").split(separator: " ").compactMap { UserID(String($0)) }
        entry.isForwarded = !row.isNull(9)
        entry.body = row.isNull(10) ? nil : row.blob(10)
        entry.edited = row.time(11)
        entry.isRecalled = !row.isNull(12)
        return entry
    }

    /// What was written under this name, and where.
    static func known(
        _ client: MessageID, of sender: UserID, _ connection: borrowing Connection
    ) throws(StoreError) -> Happening? {
        let sql = "SELECT \(self.columns) FROM entries WHERE sender = ? AND client = ?"
        let found = try connection.first(sql, [.user(sender), .text(client.text)]) { row throws(StoreError) in
            (ConversationKey(inID: row.integer(0)), try self.read(row))
        }
        guard let (key, entry) = found else { return nil }
        let id = try connection.first("SELECT id FROM conversations WHERE number = ?", [.integer(key.number)]) {
            row throws(StoreError) in try row.required(row.text(0).flatMap { ConversationID($0) }, "conversation id")
        }
        guard let id else { return nil }
        var happening = Happening(id, key, entry)
        happening.isRepeated = true
        return happening
    }

    static func state(
        of number: UInt64, in key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> MessageState? {
        let sql = "SELECT sender, time, sort, recalled FROM entries WHERE id = ?"
        return try connection.first(sql, [.integer(key.id(of: number))]) { row throws(StoreError) in
            MessageState(
                sender: try row.required(row.text(0).flatMap { UserID($0) }, "sender"),
                time: WallTime(milliseconds: row.integer(1)),
                isMessage: row.integer(2) == Int64(Entry.Sort.message.rawValue), isRecalled: !row.isNull(3))
        }
    }

    static func entry(
        _ number: UInt64, in key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> Entry? {
        let sql = "SELECT \(self.columns) FROM entries WHERE id = ?"
        return try connection.first(sql, [.integer(key.id(of: number))]) { row throws(StoreError) in
            try self.read(row)
        }
    }
}

// MARK: - Pages

extension EntryQueries {
    /// The entries with numbers in `range`, from its lower end or from its upper one, always in their order. Stops
    /// early when they grow larger than `mostBytes`; there is always one, if any.
    static func page(
        _ range: ClosedRange<UInt64>, of key: ConversationKey, fromEnd: Bool, limit: Int,
        mostBytes: Int = EntryQueries.usualBytes, _ connection: borrowing Connection
    ) throws(StoreError) -> [Entry] {
        let order = fromEnd ? "DESC" : "ASC"
        let sql = "SELECT \(self.columns) FROM entries WHERE id BETWEEN ? AND ? ORDER BY id \(order) LIMIT ?"
        let values: [SQLValue] = [
            .integer(key.id(of: range.lowerBound)), .integer(key.id(of: range.upperBound)),
            .integer(Int64(clamping: limit)),
        ]
        let statement = try connection.prepare(sql, values)
        var entries: [Entry] = []
        var bytes = 0
        var (first, last) = (key.id(of: range.lowerBound), key.id(of: range.upperBound))
        var reacted = try ReactionQueries.next(first, last, fromEnd: fromEnd, connection)
        while entries.isEmpty || bytes < mostBytes, try statement.step() {
            var entry = try self.read(statement)
            let id = key.id(of: entry.number)
            if id == reacted {
                entry.reactions = try ReactionQueries.tallies(under: id, connection)
                if fromEnd { last = id - 1 } else { first = id + 1 }
                reacted = try ReactionQueries.next(first, last, fromEnd: fromEnd, connection)
            }
            bytes += entry.size
            entries.append(entry)
        }
        if fromEnd { entries.reverse() }
        return entries
    }

    /// So that an answer stays within what waits for one client.
    static let usualBytes = 512 << 10
}
