internal import Vocabulary

enum CallQueries {
    private static let columns = "id, caller, callee, room, kind, started, answered, ended, outcome"

    struct Record: StoreRequest {
        let call: StoredCall

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            try connection.run(
                "INSERT OR IGNORE INTO calls (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .text(self.call.id.text), .user(self.call.caller), .user(self.call.callee),
                    .text(self.call.room?.text), .text(self.call.kind), .time(self.call.started),
                    .time(self.call.answered), .time(self.call.ended), .text(self.call.outcome),
                ])
        }
    }

    struct Recent: StoreRequest {
        let user: UserID
        let before: WallTime
        let limit: Int

        static let writes = false

        /// Each half walks down its own index; one condition with OR would sort the whole history.
        private static let sql = """
            SELECT * FROM (SELECT \(columns) FROM calls WHERE caller = ?1 AND started < ?2 ORDER BY started DESC LIMIT ?3)
            UNION
            SELECT * FROM (SELECT \(columns) FROM calls WHERE callee = ?1 AND started < ?2 ORDER BY started DESC LIMIT ?3)
            ORDER BY started DESC LIMIT ?3
            """

        func perform(on connection: borrowing Connection) throws(StoreError) -> [StoredCall] {
            let values: [SQLValue] = [.user(self.user), .time(self.before), .integer(Int64(max(self.limit, 0)))]
            return try connection.all(Self.sql, values) { row throws(StoreError) in try StoredCall(row) }
        }
    }

    struct Forget: StoreRequest {
        let endedBefore: WallTime

        static let writes = true

        static let sql = "DELETE FROM calls WHERE ended < ?"

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try connection.run(Self.sql, [.time(self.endedBefore)])
        }
    }
}

extension StoredCall {
    fileprivate init(_ row: borrowing Statement) throws(StoreError) {
        self.id = try row.required(row.text(0).flatMap { CallID($0) }, "call id")
        self.caller = try row.required(row.text(1).flatMap { UserID($0) }, "caller")
        self.callee = row.text(2).flatMap { UserID($0) }
        self.room = row.text(3).flatMap { RoomName($0) }
        self.kind = row.text(4) ?? ""
        self.started = WallTime(milliseconds: row.integer(5))
        self.answered = row.isNull(6) ? nil : WallTime(milliseconds: row.integer(6))
        self.ended = WallTime(milliseconds: row.integer(7))
        self.outcome = row.text(8) ?? ""
    }
}
