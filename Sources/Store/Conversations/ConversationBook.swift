internal import Conversing
internal import Vocabulary

/// Finds conversations and writes into them. A namespace for what several requests do.
enum ConversationBook {
    static func record(
        _ id: ConversationID, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRecord? {
        if let known = connection.memory[id] { return known }
        let sql = "SELECT number, kind, title, dissolved FROM conversations WHERE id = ?"
        let found = try connection.first(sql, [.text(id.text)]) { row throws(StoreError) in
            Found(
                key: ConversationKey(row.integer(0)),
                kind: try row.required(row.text(1).flatMap { ConversationKind(rawValue: $0) }, "conversation kind"),
                title: row.text(2).flatMap { DisplayName($0) }, isDissolved: !row.isNull(3))
        }
        guard let found else { return nil }
        return try self.remember(id, found, connection)
    }

    private struct Found {
        let key: ConversationKey
        let kind: ConversationKind
        let title: DisplayName?
        let isDissolved: Bool
    }

    private static func remember(
        _ id: ConversationID, _ found: Found, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRecord {
        let last = try connection.first(
            "SELECT id, counted, time FROM entries WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1",
            found.key.range
        ) { row in
            (ConversationKey.number(inID: row.integer(0)), row.number(1), WallTime(milliseconds: row.integer(2)))
        }
        let machine = ConversationMachine(
            found.kind, title: found.title, members: try self.members(of: found.key, found.kind, connection),
            last: last?.0 ?? 0, counted: last?.1 ?? 0, isDissolved: found.isDissolved)
        let record = ConversationRecord(id, found.key, machine, lastTime: last?.2 ?? WallTime(milliseconds: 0))
        connection.memory.remember(record)
        return record
    }

    private static func members(
        of key: ConversationKey, _ kind: ConversationKind, _ connection: borrowing Connection
    ) throws(StoreError) -> [Member] {
        let sql = "SELECT user, role, since, read, read_counted, silenced_until FROM members WHERE conversation = ?"
        var members = try connection.all(sql, [.integer(key.number)]) { row throws(StoreError) in
            Member(
                try row.required(row.text(0).flatMap { UserID($0) }, "user id"),
                role: try row.required(Role(rawValue: Int(row.integer(1))), "role"), since: row.number(2),
                read: row.number(3), readCounted: row.number(4), silencedUntil: row.time(5))
        }
        guard kind == .direct, members.count == 2 else { return members }
        for (place, other) in [(0, 1), (1, 0)] {
            members[place].blocksOther = try BlockQueries.blocks(members[place].user, members[other].user, connection)
        }
        return members
    }

    /// The direct conversation of two people, when there is one.
    static func direct(
        _ pair: StoreMemory.Pair, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRecord? {
        if let id = connection.memory[pair] { return try self.record(id, connection) }
        let sql = """
            SELECT c.id FROM directs d JOIN conversations c ON c.number = d.conversation WHERE low = ? AND high = ?
            """
        let id = try connection.first(sql, [.user(pair.low), .user(pair.high)]) { row throws(StoreError) in
            try row.required(row.text(0).flatMap { ConversationID($0) }, "conversation id")
        }
        guard let id else { return nil }
        connection.memory.remember(pair, id)
        return try self.record(id, connection)
    }
}

// MARK: - Beginning one

extension ConversationBook {
    /// Its row and its members, without an entry yet.
    static func add(
        _ id: ConversationID, _ kind: ConversationKind, title: DisplayName? = nil, subject: String? = nil,
        _ members: [Member], at now: WallTime, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRecord {
        let sql =
            "INSERT INTO conversations (id, kind, title, subject, created) VALUES (?, ?, ?, ?, ?) RETURNING number"
        let values: [SQLValue] = [
            .text(id.text), .text(kind.rawValue), .text(title?.text), .text(subject), .time(now),
        ]
        // All rows are asked for, since a statement that is left in the middle has not written.
        let numbers = try connection.all(sql, values) { row in row.integer(0) }
        let key = ConversationKey(numbers.first ?? 0)
        for member in members { try self.add(member, to: key, connection) }
        let machine = ConversationMachine(kind, title: title, members: members)
        let record = ConversationRecord(id, key, machine, lastTime: WallTime(milliseconds: 0))
        connection.memory.remember(record)
        return record
    }

    static func addDirect(
        _ pair: StoreMemory.Pair, as id: ConversationID, at now: WallTime, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationRecord {
        var members = [Member(pair.low)]
        if pair.low != pair.high {
            members.append(Member(pair.high))
            members[0].blocksOther = try BlockQueries.blocks(pair.low, pair.high, connection)
            members[1].blocksOther = try BlockQueries.blocks(pair.high, pair.low, connection)
        }
        let record = try self.add(id, .direct, members, at: now, connection)
        try connection.run(
            "INSERT INTO directs (low, high, conversation) VALUES (?, ?, ?)",
            [.user(pair.low), .user(pair.high), .integer(record.key.number)])
        connection.memory.remember(pair, id)
        return record
    }

    static func add(_ member: Member, to key: ConversationKey, _ connection: borrowing Connection) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO members (conversation, user, role, since, read, read_counted, silenced_until)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(key.number), .user(member.user), .integer(Int64(member.role.rawValue)),
                .number(member.since), .number(member.read), .number(member.readCounted),
                .time(member.silencedUntil),
            ])
    }

    static func update(
        _ member: Member, of key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) {
        try connection.run(
            """
            UPDATE members SET role = ?, since = ?, read = ?, read_counted = ?, silenced_until = ?
            WHERE conversation = ? AND user = ?
            """,
            [
                .integer(Int64(member.role.rawValue)), .number(member.since), .number(member.read),
                .number(member.readCounted), .time(member.silencedUntil), .integer(key.number), .user(member.user),
            ])
    }
}

// MARK: - Words of the tables

extension ConversationKey {
    /// The first and the last id an entry of it can have.
    var range: [SQLValue] { [.integer(self.id(of: 0)), .integer(self.id(of: Self.maximumEntry))] }
}

extension SQLValue {
    static func number(_ number: UInt64) -> SQLValue { .integer(Int64(clamping: number)) }
}

extension Statement {
    func number(_ column: Int32) -> UInt64 { UInt64(clamping: self.integer(column)) }

    func time(_ column: Int32) -> WallTime? {
        self.isNull(column) ? nil : WallTime(milliseconds: self.integer(column))
    }
}
