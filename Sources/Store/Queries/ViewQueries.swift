internal import Conversing
internal import Vocabulary

/// Conversations as their members see them.
enum ViewQueries {
    /// A conversation in which there is something to see, before the details are looked up.
    struct Line {
        let key: ConversationKey
        let id: ConversationID
        let kind: ConversationKind
        let title: DisplayName?
        let subject: String?
        let isDissolved: Bool
        let role: Role
        let isMuted: Bool
        let retention: Duration?
        let since: UInt64
        let read: UInt64
        let readCounted: UInt64
        /// The id of its latest entry, and how many messages there are up to there.
        let last: UInt64
        let counted: UInt64
    }

    /// The latest entry is found by one step down the tree of entries, for each conversation of the user.
    private static let lines = """
        SELECT c.number, c.id, c.kind, c.title, c.subject, c.dissolved, m.role, m.muted, m.since, m.read,
            m.read_counted, e.id, e.counted, c.retention
        FROM members m JOIN conversations c ON c.number = m.conversation
        JOIN entries e ON e.id =
            (SELECT max(id) FROM entries WHERE id BETWEEN m.conversation << 32 AND (m.conversation << 32) + 4294967295)
        """

    private static func read(_ row: borrowing Statement) throws(StoreError) -> Line {
        Line(
            key: ConversationKey(row.integer(0)),
            id: try row.required(row.text(1).flatMap { ConversationID($0) }, "conversation id"),
            kind: try row.required(row.text(2).flatMap { ConversationKind(rawValue: $0) }, "conversation kind"),
            title: row.text(3).flatMap { DisplayName($0) }, subject: row.text(4), isDissolved: !row.isNull(5),
            role: try row.required(Role(rawValue: Int(row.integer(6))), "role"), isMuted: row.integer(7) != 0,
            retention: row.isNull(13) ? nil : .milliseconds(row.integer(13)), since: row.number(8), read: row.number(9),
            readCounted: row.number(10),
            last: ConversationKey.number(inID: row.integer(11)), counted: row.number(12))
    }

    struct List: StoreRequest {
        let user: UserID
        let before: ConversationPlace?
        let limit: Int

        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> ConversationList {
            let sql = """
                \(ViewQueries.lines)
                WHERE m.user = ? AND (e.id & 4294967295) > m.since AND (e.time, c.number) < (?, ?)
                ORDER BY e.time DESC, c.number DESC LIMIT ?
                """
            let values: [SQLValue] = [
                .user(self.user), .integer(self.before?.time.milliseconds ?? .max),
                // One too many, to know whether there are more.
                .integer(self.before?.key.number ?? .max), .integer(Int64(clamping: max(self.limit, 0)) + 1),
            ]
            let lines = try connection.all(sql, values) { row throws(StoreError) in try ViewQueries.read(row) }
            var (list, bytes) = (ConversationList(badge: try MarkQueries.badge(of: self.user, connection)), 0)
            for line in lines {
                guard list.views.count < self.limit, bytes < Self.mostBytes else {
                    list.hasMore = true
                    break
                }
                let view = try ViewQueries.view(line, of: self.user, connection)
                bytes += view.size
                list.views.append(view)
            }
            return list
        }

        /// Each view comes with its latest entry.
        private static let mostBytes = 1 << 20
    }

    struct One: StoreRequest {
        let id: ConversationID
        let user: UserID

        static let writes = false
        static let looksAside = true

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<ConversationView, ConversationRefusal> {
            let sql = "\(ViewQueries.lines) WHERE m.user = ? AND c.id = ?"
            let line = try connection.first(sql, [.user(self.user), .text(self.id.text)]) { row throws(StoreError) in
                try ViewQueries.read(row)
            }
            guard let line else { return .failure(.notMember) }
            return .success(try ViewQueries.view(line, of: self.user, connection))
        }
    }

    /// Every conversation of a user, the latest first.
    static func all(of user: UserID, _ connection: borrowing Connection) throws(StoreError) -> [Line] {
        let sql = "\(self.lines) WHERE m.user = ? ORDER BY e.time DESC, c.number DESC"
        return try connection.all(sql, [.user(user)]) { row throws(StoreError) in try self.read(row) }
    }

    static func view(
        _ line: Line, of user: UserID, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationView {
        let latest = try EntryQueries.entry(line.last, in: line.key, connection)
        let count = "SELECT count(*) FROM members WHERE conversation = ?"
        let members = try connection.first(count, [.integer(line.key.number)]) { $0.number(0) }
        guard let latest else {
            throw StoreError(.damaged, file: connection.file, detail: "a conversation without its latest entry")
        }
        return ConversationView(
            id: line.id, key: line.key, kind: line.kind, title: line.title, subject: line.subject,
            isDissolved: line.isDissolved, role: line.role, isMuted: line.isMuted, since: line.since, read: line.read,
            unread: try self.unread(in: line, connection), members: Int(members ?? 0), retention: line.retention,
            peer: line.kind == .direct ? try self.peer(of: user, in: line.key, connection) : nil, latest: latest)
    }

    /// How many messages wait for the member.
    static func unread(in line: Line, _ connection: borrowing Connection) throws(StoreError) -> UInt64 {
        guard line.counted > line.readCounted else { return 0 }
        let recalled = try MarkQueries.recalled(after: line.read, in: line.key, connection)
        return line.counted - min(line.counted, line.readCounted &+ recalled)
    }

    private static func peer(
        of user: UserID, in key: ConversationKey, _ connection: borrowing Connection
    ) throws(StoreError) -> ConversationView.Peer? {
        let sql = """
            SELECT user, read, \(self.delivered), \(self.face) FROM members m LEFT JOIN users u ON u.id = m.user
            WHERE conversation = ? AND user <> ?
            """
        return try connection.first(sql, [.integer(key.number), .user(user)]) { row throws(StoreError) in
            ConversationView.Peer(
                user: try row.required(row.text(0).flatMap { UserID($0) }, "user id"), name: row.name(3),
                avatar: row.avatar(4), delivered: row.number(2), read: row.number(1))
        }
    }

    /// What a member is called, and their picture.
    private static let face = "coalesce(u.display_name, u.name), u.avatar"

    /// How far any of a member's devices got.
    private static let delivered = """
        max(m.read, coalesce((SELECT max(delivered) FROM cursors WHERE user = m.user AND conversation = m.conversation), 0))
        """

    struct Members: StoreRequest {
        let request: MemberRequest

        static let writes = false
        static let looksAside = true

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<[MemberView], ConversationRefusal> {
            let seat = try HistoryQueries.Seat.find(self.request.user, in: self.request.conversation, connection)
            guard let seat else { return .failure(.notMember) }
            let sql = """
                SELECT user, role, read, \(ViewQueries.delivered), silenced_until, \(ViewQueries.face)
                FROM members m LEFT JOIN users u ON u.id = m.user
                WHERE conversation = ? AND user > ? ORDER BY user LIMIT ?
                """
            let values: [SQLValue] = [
                .integer(seat.key.number), .text(self.request.after), .integer(Int64(max(self.request.limit, 0))),
            ]
            return .success(
                try connection.all(sql, values) { row throws(StoreError) in
                    MemberView(
                        user: try row.required(row.text(0).flatMap { UserID($0) }, "user id"), name: row.name(5),
                        avatar: row.avatar(6),
                        role: try row.required(Role(rawValue: Int(row.integer(1))), "role"),
                        delivered: row.number(3), read: row.number(2), silencedUntil: row.time(4))
                })
        }
    }
}

extension Statement {
    fileprivate func name(_ column: Int32) -> DisplayName? { self.text(column).flatMap { DisplayName($0) } }
    fileprivate func avatar(_ column: Int32) -> AvatarLink? { self.text(column).flatMap { AvatarLink($0) } }
}
