package import Conversing
package import Keeping
package import Vocabulary

/// `id` and `target` are packed keys.
enum EntryColumn: Int, Column {
    case id, counted, sort, sender, time, client, kind, target, mentions, forwarded, body, edited, recalled, pinned
}

enum EntryMarkColumn: Int, Column { case id, counted, time }

private enum BodyColumn: Int, Column { case id, sort, body }

extension EntryMark {
    init(_ row: Row<EntryMarkColumn>) {
        self.init(
            number: EntryKey(packed: row.integer(.id)).number, counted: row.number(.counted),
            time: row.requiredTime(.time))
    }
}

extension Entry {
    fileprivate init(_ row: Row<EntryColumn>) throws(StoreError) {
        self.init(
            number: EntryKey(packed: row.integer(.id)).number, counted: row.number(.counted),
            sort: try row.required(.sort, Entry.Sort(rawValue: row.count(.sort))),
            sender: try row.required(.sender) { UserID($0) }, time: row.requiredTime(.time))
        self.client = row.text(.client).flatMap { MessageID($0) }
        self.kind = row.text(.kind).flatMap { MessageKind($0) }
        self.target = row.isNull(.target) ? nil : EntryKey(packed: row.integer(.target)).number
        self.mentions = row.text(.mentions)?.split(separator: " ").compactMap { UserID(String($0)) } ?? []
        self.isForwarded = !row.isNull(.forwarded)
        self.body = row.isNull(.body) ? nil : row.blob(.body)
        self.edited = row.time(.edited)
        self.isRecalled = !row.isNull(.recalled)
        self.pinned = row.isNull(.pinned) ? nil : row.number(.pinned)
    }

    fileprivate func value(of column: EntryColumn, in key: ConversationKey) -> SQLValue {
        switch column {
        case .id: .key(EntryKey(key, self.number))
        case .counted: .number(self.counted)
        case .sort: .count(self.sort.rawValue)
        case .sender: .user(self.sender)
        case .time: .time(self.time)
        case .client: .text(self.client?.text)
        case .kind: .text(self.kind?.text)
        case .target: self.target.map { .key(EntryKey(key, $0)) } ?? .null
        case .mentions: self.mentions.isEmpty ? .null : .text(self.mentions.map(\.text).joined(separator: " "))
        case .forwarded: self.isForwarded ? .flag(true) : .null
        case .body: .blob(self.body)
        case .edited: .time(self.edited)
        // When it is said at first, nobody has taken it back or pinned it.
        case .recalled, .pinned: .null
        }
    }
}

extension SQLTables {
    private static let entryColumns = "SELECT \(EntryColumn.list()) FROM entries"
    private static let entryByKey = "\(entryColumns) WHERE id = ?"
    private static let entryByClient = "\(entryColumns) WHERE sender = ? AND client = ?"
    private static let entriesUp = "\(entryColumns) WHERE id BETWEEN ? AND ? ORDER BY id ASC LIMIT ?"
    private static let entriesDown = "\(entryColumns) WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"
    private static let pinnedEntries = """
        \(entryColumns) WHERE pinned IS NOT NULL AND id BETWEEN ? AND ? ORDER BY pinned DESC LIMIT ?
        """
    private static let pinnedCount = "SELECT count(*) FROM entries WHERE pinned IS NOT NULL AND id BETWEEN ? AND ?"
    private static let bodiesUp = """
        SELECT \(BodyColumn.list()) FROM entries WHERE id BETWEEN ? AND ? ORDER BY id ASC LIMIT ?
        """
    private static let markColumns = "SELECT \(EntryMarkColumn.list()) FROM entries WHERE id BETWEEN ? AND ?"
    private static let marksUp = "\(markColumns) ORDER BY id ASC LIMIT ?"
    private static let lastMark = "\(markColumns) ORDER BY id DESC LIMIT 1"
    private static let latestSender = """
        SELECT 1 FROM (SELECT sender FROM entries WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?) AS latest
        WHERE sender = ?
        """
    private static let insertEntry = """
        INSERT INTO entries \(EntryColumn.insertion) ON CONFLICT (sender, client) WHERE client IS NOT NULL DO NOTHING
        """

    package func entry(_ key: EntryKey) throws(StoreError) -> Entry? {
        try self.connection.first(Self.entryByKey, [.key(key)], read: Entry.init)
    }

    package func entries(_ keys: [EntryKey]) throws(StoreError) -> [EntryKey: Entry] {
        try self.connection.firstOfEach(Self.entryByKey, keys, as: { .key($0) }, read: Entry.init)
    }

    package func entry(_ client: MessageID, of sender: UserID) throws(StoreError) -> (key: EntryKey, entry: Entry)? {
        let values: [SQLValue] = [.user(sender), .text(client.text)]
        return try self.connection.first(Self.entryByClient, values) { (row: Row<EntryColumn>) throws(StoreError) in
            (EntryKey(packed: row.integer(.id)), try Entry(row))
        }
    }

    package func entryBounds(of key: ConversationKey) throws(StoreError) -> ClosedRange<UInt64>? {
        guard let last = try self.latestEntry(of: key) else { return nil }
        let sql = "SELECT min(id) FROM entries WHERE id BETWEEN ? AND ?"
        let first = try self.connection.number(sql, SQLValue.keys(key)).map { EntryKey(packed: $0).number }
        return (first ?? last.number)...last.number
    }

    package func latestEntry(of key: ConversationKey) throws(StoreError) -> EntryMark? {
        try self.connection.first(Self.lastMark, SQLValue.keys(key)) { EntryMark($0) }
    }

    package func entries(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool, limit: Int, maximumBytes: Int
    ) throws(StoreError) -> [Entry] {
        let sql = fromEnd ? Self.entriesDown : Self.entriesUp
        var (entries, bytes) = ([Entry](), 0)
        try self.connection.query(sql, SQLValue.keys(key, range) + [.count(limit)]) { row throws(StoreError) in
            let entry = try Entry(row.row())
            bytes += entry.size
            entries.append(entry)
            return bytes < maximumBytes
        }
        return entries
    }

    package func bodies(of key: ConversationKey, from number: UInt64, limit: Int) throws(StoreError) -> [BodyRow] {
        let values = SQLValue.keys(key, number...ConversationKey.maximumEntry) + [.count(limit)]
        return try self.connection.all(Self.bodiesUp, values) { (row: Row<BodyColumn>) throws(StoreError) in
            BodyRow(
                EntryKey(packed: row.integer(.id)).number,
                try row.required(.sort, Entry.Sort(rawValue: row.count(.sort))),
                row.isNull(.body) ? nil : row.blob(.body))
        }
    }

    package func entries(of key: ConversationKey, before time: WallTime, limit: Int) throws(StoreError) -> [EntryMark] {
        var marks: [EntryMark] = []
        try self.connection.query(Self.marksUp, SQLValue.keys(key) + [.count(limit)]) { row in
            let mark = EntryMark(row.row())
            guard mark.time < time else { return false }
            marks.append(mark)
            return true
        }
        return marks
    }

    /// One step down the tree of recalled ones.
    package func isSender(_ user: UserID, in key: ConversationKey, amongLatest limit: Int) throws(StoreError) -> Bool {
        let values = SQLValue.keys(key) + [.count(limit), .user(user)]
        return try self.connection.exists(Self.latestSender, values)
    }

    package func recalledCount(of key: ConversationKey, after number: UInt64) throws(StoreError) -> UInt64 {
        let sql = """
            SELECT count(*) FROM entries AS taken INDEXED BY recalled_entries
            WHERE recalled IS NOT NULL AND id > ? AND id <= ? AND counted > 0 AND NOT EXISTS (
                SELECT 1 FROM entries WHERE id = taken.id - 1 AND counted = taken.counted)
            """
        let values = SQLValue.keys(key, number...max(number, ConversationKey.maximumEntry))
        return UInt64(clamping: try self.connection.number(sql, values) ?? 0)
    }

    package func pinnedCount(of key: ConversationKey) throws(StoreError) -> Int {
        Int(try self.connection.number(Self.pinnedCount, SQLValue.keys(key)) ?? 0)
    }

    package func pinnedEntries(of key: ConversationKey, after number: UInt64, limit: Int) throws(StoreError) -> [Entry]
    {
        let range = min(number, ConversationKey.maximumEntry - 1) + 1...ConversationKey.maximumEntry
        let values = SQLValue.keys(key, range) + [.count(limit)]
        return try self.connection.all(Self.pinnedEntries, values) { (row: Row<EntryColumn>) throws(StoreError) in
            try Entry(row)
        }
    }

    package func insert(_ entry: Entry, in key: ConversationKey) throws(StoreError) -> Bool {
        try self.connection.changesOne(Self.insertEntry) { (column: EntryColumn) in entry.value(of: column, in: key) }
    }

    package func update(_ key: EntryKey, _ change: EntryChange) throws(StoreError) {
        switch change {
        case .edited(let body, let time):
            let sql = "UPDATE entries SET body = ?, edited = ? WHERE id = ?"
            try self.connection.run(sql, [.blob(body.json), .time(time), .key(key)])
        case .recalled(let time):
            let sql = "UPDATE entries SET body = NULL, recalled = ? WHERE id = ?"
            try self.connection.run(sql, [.time(time), .key(key)])
        case .pinned(let number):
            let sql = "UPDATE entries SET pinned = ? WHERE id = ?"
            try self.connection.run(sql, [number.map { .number($0) } ?? .null, .key(key)])
        }
    }

    package func clearEdits(of key: EntryKey) throws(StoreError) {
        try self.connection.run("UPDATE entries SET body = NULL WHERE target = ? AND sort = 1", [.key(key)])
    }

    package func removeEntries(of key: ConversationKey, through number: UInt64) throws(StoreError) {
        try self.connection.run(
            "DELETE FROM entries WHERE id BETWEEN ? AND ?", SQLValue.keys(key, through: number))
    }
}
