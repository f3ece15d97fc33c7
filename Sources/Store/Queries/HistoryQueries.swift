internal import Conversing
internal import Vocabulary

/// Reading what was said.
enum HistoryQueries {
    /// What somebody can see of a conversation, without the other members.
    struct Seat {
        let key: ConversationKey
        let since: UInt64
        /// The oldest entry that is still there: what was said too long ago is gone.
        let first: UInt64
        let last: UInt64

        static func find(
            _ user: UserID, in id: ConversationID, _ connection: borrowing Connection
        ) throws(StoreError) -> Seat? {
            let sql = """
                SELECT c.number, m.since, (SELECT max(id) FROM entries
                    WHERE id BETWEEN c.number << 32 AND (c.number << 32) + 4294967295),
                    (SELECT min(id) FROM entries
                    WHERE id BETWEEN c.number << 32 AND (c.number << 32) + 4294967295)
                FROM conversations c JOIN members m ON m.conversation = c.number AND m.user = ? WHERE c.id = ?
                """
            return try connection.first(sql, [.user(user), .text(id.text)]) { row in
                Seat(
                    key: ConversationKey(row.integer(0)), since: row.number(1),
                    first: row.isNull(3) ? 0 : ConversationKey.number(inID: row.integer(3)),
                    last: row.isNull(2) ? 0 : ConversationKey.number(inID: row.integer(2)))
            }
        }
    }

    struct Page: StoreRequest {
        let request: HistoryRequest

        static let writes = false

        static let looksAside = true

        func perform(
            on connection: borrowing Connection
        ) throws(StoreError) -> Result<EntryPage, ConversationRefusal> {
            let id = self.request.conversation
            guard let seat = try Seat.find(self.request.user, in: id, connection) else { return .failure(.notMember) }
            guard let range = self.range(for: seat), self.request.limit > 0 else { return .success(EntryPage()) }
            let entries = try EntryQueries.page(
                range, of: seat.key, fromEnd: self.isFromEnd, limit: self.request.limit, connection)
            let isWhole = UInt64(entries.count) == range.upperBound - range.lowerBound + 1
            let items = entries.map { EntryPage.Item(conversation: id, key: seat.key, entry: $0) }
            return .success(EntryPage(items: items, hasMore: !isWhole))
        }

        private var isFromEnd: Bool { if case .before = self.request.direction { true } else { false } }

        private func range(for seat: Seat) -> ClosedRange<UInt64>? {
            var (low, high) = (max(seat.since + 1, seat.first), seat.last)
            switch self.request.direction {
            case .before(nil): break
            case .before(let number?): high = min(high, max(number, 1) - 1)
            case .after(let number): low = max(low, min(number, seat.last) + 1)
            }
            return low <= high ? low...high : nil
        }
    }

    struct Sync: StoreRequest {
        let request: SyncRequest

        static let writes = false

        private static let mostPieces = 100
        private static let mostOfOne = 200
        /// Of the views, each with its latest entry, and the entries together.
        private static let mostBytes = 1 << 20
        /// What a new device sees of a conversation that was read to the end.
        private static let glance: UInt64 = 20

        func perform(on connection: borrowing Connection) throws(StoreError) -> Synced {
            let lines = try ViewQueries.all(of: self.request.user, connection)
            let cursors = try self.cursors(connection)
            var synced = Synced()
            synced.ids = lines.map(\.id)
            synced.badge = try MarkQueries.badge(of: self.request.user, connection)
            var (room, bytes) = (self.request.limit, 0)
            for line in lines where self.request.kind == nil || self.request.kind == line.kind {
                let start = self.start(of: line, cursors[line.key])
                guard start < line.last else { continue }
                guard synced.pieces.count < Self.mostPieces, bytes < Self.mostBytes else {
                    synced.hasMore = true
                    break
                }
                let view = try ViewQueries.view(line, of: self.request.user, connection)
                bytes += view.size
                let piece = try self.piece(
                    view, line, behind: start, limit: min(room, Self.mostOfOne), mostBytes: Self.mostBytes - bytes,
                    connection)
                room -= piece.entries.count
                bytes += piece.entries.reduce(0) { $0 + $1.size }
                synced.pieces.append(piece)
            }
            return synced
        }

        private func piece(
            _ view: ConversationView, _ line: ViewQueries.Line, behind start: UInt64, limit: Int, mostBytes: Int,
            _ connection: borrowing Connection
        ) throws(StoreError) -> Synced.Piece {
            let entries =
                limit > 0
                ? try EntryQueries.page(
                    start + 1...line.last, of: line.key, fromEnd: false, limit: limit, mostBytes: mostBytes, connection)
                : []
            return Synced.Piece(
                view: view, entries: entries, remaining: line.last - (entries.last?.number ?? start))
        }

        private func start(of line: ViewQueries.Line, _ cursor: UInt64?) -> UInt64 {
            let position = self.request.positions[line.id]
            if let newest = self.request.newest {
                let start = line.last - min(line.last, UInt64(clamping: newest))
                return min(max(position ?? 0, start, line.since), line.last)
            }
            let hasUnread = line.counted > line.readCounted
            let fresh = hasUnread ? line.read : line.last - min(line.last, Self.glance)
            return min(max(position ?? cursor ?? fresh, line.since), line.last)
        }

        private func cursors(_ connection: borrowing Connection) throws(StoreError) -> [ConversationKey: UInt64] {
            let sql = "SELECT conversation, delivered FROM cursors WHERE user = ? AND device = ?"
            let rows = try connection.all(sql, [.user(self.request.user), .text(self.request.device.text)]) { row in
                (ConversationKey(row.integer(0)), row.number(1))
            }
            return Dictionary(rows) { first, _ in first }
        }
    }
}
