package import Conversing
package import Keeping
package import Vocabulary

enum MemberColumn: Int, Column {
    case conversation, user, role, since, read, readCounted, silencedUntil, muted, spokeAt, archived
}

extension MemberRow {
    fileprivate init(_ row: Row<MemberColumn>) throws(StoreError) {
        let member = Member(
            try row.required(.user) { UserID($0) },
            role: try row.required(.role, Role(rawValue: row.count(.role))), since: row.number(.since),
            read: row.number(.read), readCounted: row.number(.readCounted), silencedUntil: row.time(.silencedUntil),
            spokeAt: row.time(.spokeAt))
        self.init(
            member, isMuted: row.integer(.muted) != 0,
            archivedCounted: row.isNull(.archived) ? nil : row.number(.archived))
    }
}

extension SQLTables {
    private static let memberColumns = "SELECT \(MemberColumn.list()) FROM members"
    private static let memberByUser = "\(memberColumns) WHERE conversation = ? AND user = ?"
    private static let membersAfter = "\(memberColumns) WHERE conversation = ? AND user > ? ORDER BY user LIMIT ?"
    private static let insertMember = "INSERT INTO members \(MemberColumn.insertion)"
    private static let updateMember = """
        UPDATE members SET role = ?, since = ?, read = ?, read_counted = ?, silenced_until = ?,
        spoke_at = ?
        WHERE conversation = ? AND user = ?
        """

    package func member(_ user: UserID, of key: ConversationKey) throws(StoreError) -> MemberRow? {
        try self.connection.first(Self.memberByUser, [.key(key), .user(user)], read: MemberRow.init)
    }

    package func members(of key: ConversationKey, after user: String, limit: Int) throws(StoreError) -> [MemberRow] {
        try self.connection.all(Self.membersAfter, [.key(key), .text(user), .count(limit)], read: MemberRow.init)
    }

    package func memberCount(of key: ConversationKey, limit: Int) throws(StoreError) -> Int {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM members WHERE conversation = ? LIMIT ?) AS few"
        return Int(try self.connection.number(sql, [.key(key), .count(limit)]) ?? 0)
    }

    package func insert(_ member: Member, of key: ConversationKey) throws(StoreError) {
        try self.connection.run(Self.insertMember) { (column: MemberColumn) in
            switch column {
            case .conversation: .key(key)
            case .user: .user(member.user)
            case .role: .count(member.role.rawValue)
            case .since: .number(member.since)
            case .read: .number(member.read)
            case .readCounted: .number(member.readCounted)
            case .silencedUntil: .time(member.silencedUntil)
            case .muted: .flag(false)
            case .spokeAt: .time(member.spokeAt)
            case .archived: .null
            }
        }
    }

    package func update(_ member: Member, of key: ConversationKey) throws(StoreError) {
        let values: [SQLValue] = [
            .count(member.role.rawValue), .number(member.since), .number(member.read), .number(member.readCounted),
            .time(member.silencedUntil), .time(member.spokeAt), .key(key), .user(member.user),
        ]
        try self.connection.run(Self.updateMember, values)
    }

    package func setMuted(_ isMuted: Bool, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        let sql = "UPDATE members SET muted = ? WHERE conversation = ? AND user = ?"
        try self.connection.run(sql, [.flag(isMuted), .key(key), .user(user)])
    }

    package func setArchived(_ counted: UInt64?, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        let sql = "UPDATE members SET archived = ? WHERE conversation = ? AND user = ?"
        try self.connection.run(sql, [counted.map { .number($0) } ?? .null, .key(key), .user(user)])
    }

    package func removeMember(_ user: UserID, of key: ConversationKey) throws(StoreError) {
        try self.connection.run("DELETE FROM members WHERE conversation = ? AND user = ?", [.key(key), .user(user)])
    }

    package func advanceMembers(of key: ConversationKey, to entry: EntryMark) throws(StoreError) {
        let number = SQLValue.number(entry.number)
        try self.connection.run(
            "UPDATE members SET since = ? WHERE conversation = ? AND since < ?", [number, .key(key), number])
        try self.connection.run(
            "UPDATE members SET read = ?, read_counted = ? WHERE conversation = ? AND read < ?",
            [number, .number(entry.counted), .key(key), number])
    }
}

// MARK: - Those who went

private enum FormerMemberColumn: Int, Column {
    case conversation, user, removed, silencedUntil, spokeAt, removedUntil
}

extension SQLTables {
    private static let formerMember = """
        SELECT \(FormerMemberColumn.list()) FROM former_members WHERE conversation = ? AND user = ?
        """
    private static let putFormerMember =
        "INSERT INTO former_members \(FormerMemberColumn.replacement(of: .conversation, .user))"

    package func formerMember(_ user: UserID, of key: ConversationKey) throws(StoreError) -> FormerMember? {
        try self.connection.first(Self.formerMember, [.key(key), .user(user)]) { (row: Row<FormerMemberColumn>) in
            FormerMember(
                wasRemoved: row.integer(.removed) != 0, removedUntil: row.time(.removedUntil),
                silencedUntil: row.time(.silencedUntil),
                spokeAt: row.time(.spokeAt))
        }
    }

    package func put(_ former: FormerMember, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        try self.connection.run(Self.putFormerMember) { (column: FormerMemberColumn) in
            switch column {
            case .conversation: .key(key)
            case .user: .user(user)
            case .removed: .flag(former.wasRemoved)
            case .silencedUntil: .time(former.silencedUntil)
            case .spokeAt: .time(former.spokeAt)
            case .removedUntil: .time(former.removedUntil)
            }
        }
    }

    package func removeFormerMember(_ user: UserID, of key: ConversationKey) throws(StoreError) {
        let sql = "DELETE FROM former_members WHERE conversation = ? AND user = ?"
        try self.connection.run(sql, [.key(key), .user(user)])
    }
}

// MARK: - The conversations of a user

/// As `membershipMarks` asks for them, of three tables.
private enum MembershipMarkColumn: Int, Column { case number, id, kind, indexed, since, read, readCounted }

extension MembershipMark {
    fileprivate init(_ row: any SQLRow) throws(StoreError) {
        let names = Row<MembershipMarkColumn>(row)
        let latest = Row<EntryMarkColumn>(row, from: MembershipMarkColumn.readCounted.rawValue + 1)
        self.init(
            ConversationKey(names.integer(.number)), try names.required(.id) { ConversationID($0) },
            try names.required(.kind) { ConversationKind(rawValue: $0) }, indexed: names.number(.indexed),
            since: names.number(.since), read: names.number(.read), readCounted: names.number(.readCounted),
            latest: EntryMark(latest))
    }
}

extension Membership {
    fileprivate init(_ row: any SQLRow) throws(StoreError) {
        let conversation = try ConversationRow(row.row(from: MemberColumn.count))
        let latest = EntryMark(row.row(from: MemberColumn.count + ConversationColumn.count))
        self.init(conversation, try MemberRow(row.row()), latest: latest)
    }
}

extension SQLTables {
    private static let joined = """
        FROM members m JOIN conversations c ON c.number = m.conversation
        JOIN entries e ON e.id = \(EntryLayout.latest(of: "m.conversation"))
        """
    private static let membership = """
        SELECT \(MemberColumn.list(of: "m")), \(ConversationColumn.list(of: "c")), \(EntryMarkColumn.list(of: "e"))
        \(joined) WHERE m.user = ? AND m.conversation = ?
        """

    static let unreadOfUser = """
        SELECT \(MemberColumn.list(of: "m")), \(EntryMarkColumn.list(of: "e"))
        FROM members m JOIN entries e ON e.id = \(EntryLayout.latest(of: "m.conversation"))
        WHERE m.user = ? AND e.counted > m.read_counted
        """

    package func memberships(of user: UserID, in keys: [ConversationKey]) throws(StoreError) -> [Membership] {
        let values = keys.map { key -> [SQLValue] in [.user(user), .key(key)] }
        return try self.connection.allOfEach(Self.membership, values) { row throws(StoreError) in try Membership(row) }
    }

    static let membershipMarks = """
        SELECT c.number, c.id, c.kind, c.indexed, m.since, m.read, m.read_counted, \(EntryMarkColumn.list(of: "e"))
        \(joined) WHERE m.user = ? ORDER BY m.conversation
        """

    package func membershipMarks(of user: UserID) throws(StoreError) -> [MembershipMark] {
        try self.connection.all(Self.membershipMarks, [.user(user)]) { row throws(StoreError) in
            try MembershipMark(row)
        }
    }

    package func unread(of user: UserID) throws(StoreError) -> [UnreadRow] {
        try self.connection.all(Self.unreadOfUser, [.user(user)]) { statement in
            let member = statement.row(MemberColumn.self)
            let latest = EntryMark(statement.row(from: MemberColumn.count))
            return UnreadRow(
                ConversationKey(member.integer(.conversation)), counted: latest.counted,
                readCounted: member.number(.readCounted), read: member.number(.read))
        }
    }

    package func conversationCount(of user: UserID, limit: Int) throws(StoreError) -> Int {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM members WHERE user = ? LIMIT ?) AS few"
        return Int(try self.connection.number(sql, [.user(user), .count(limit)]) ?? 0)
    }

    package func conversations(
        of user: UserID, after place: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey] {
        let sql =
            "SELECT conversation FROM members WHERE user = ? AND conversation < ? ORDER BY conversation DESC LIMIT ?"
        let values: [SQLValue] = [.user(user), .integer(place?.number ?? .max), .count(limit)]
        return try self.connection.all(sql, values) { row in ConversationKey(row.integer(0)) }
    }
}

// MARK: - How far devices got

private enum CursorColumn: Int, Column { case user, device, conversation, delivered, read, time }

extension CursorRow {
    fileprivate init(_ row: Row<CursorColumn>) {
        self.init(delivered: row.number(.delivered), read: row.number(.read), time: row.requiredTime(.time))
    }
}

extension SQLTables {
    private static let cursorColumns = "SELECT \(CursorColumn.list()) FROM cursors WHERE user = ? AND device = ?"
    private static let cursorByKey = "\(cursorColumns) AND conversation = ?"
    private static let cursorsOfUser = """
        SELECT \(CursorColumn.list()) FROM cursors WHERE conversation = ? AND user = ?
        ORDER BY time DESC, device LIMIT ?
        """
    private static let putCursor =
        "INSERT INTO cursors \(CursorColumn.replacement(of: .user, .device, .conversation))"

    package func cursors(of user: UserID, on device: DeviceID) throws(StoreError) -> [ConversationKey: UInt64] {
        let rows = try self.connection.all(
            Self.cursorColumns, [.user(user), .text(device.text)]
        ) { (row: Row<CursorColumn>) in
            (ConversationKey(row.integer(.conversation)), row.number(.delivered))
        }
        return Dictionary(rows) { first, _ in first }
    }

    package func cursor(of user: UserID, on device: DeviceID, in key: ConversationKey) throws(StoreError) -> CursorRow?
    {
        let values: [SQLValue] = [.user(user), .text(device.text), .key(key)]
        return try self.connection.first(Self.cursorByKey, values) { (row: Row<CursorColumn>) in
            CursorRow(row)
        }
    }

    package func cursors(
        of user: UserID, in key: ConversationKey, limit: Int
    ) throws(StoreError) -> [DeviceMark] {
        let values: [SQLValue] = [.key(key), .user(user), .count(limit)]
        return try self.connection.all(Self.cursorsOfUser, values) { (row: Row<CursorColumn>) throws(StoreError) in
            DeviceMark(try row.required(.device) { DeviceID($0) }, CursorRow(row))
        }
    }

    package func put(
        _ cursor: CursorRow, of user: UserID, on device: DeviceID, in key: ConversationKey
    ) throws(StoreError) {
        try self.connection.run(Self.putCursor) { (column: CursorColumn) in
            switch column {
            case .user: .user(user)
            case .device: .text(device.text)
            case .conversation: .key(key)
            case .delivered: .number(cursor.delivered)
            case .read: .number(cursor.read)
            case .time: .time(cursor.time)
            }
        }
    }

    package func delivered(to user: UserID, in key: ConversationKey) throws(StoreError) -> UInt64 {
        let sql = "SELECT max(delivered) FROM cursors WHERE user = ? AND conversation = ?"
        return UInt64(clamping: try self.connection.number(sql, [.user(user), .key(key)]) ?? 0)
    }

    package func removeCursors(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM cursors WHERE user = ?", [.user(user)])
    }
}
