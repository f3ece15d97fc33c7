internal import Conversing
internal import Vocabulary

enum BlockQueries {
    static func blocks(_ user: UserID, _ other: UserID, _ connection: borrowing Connection) throws(StoreError) -> Bool {
        let sql = "SELECT 1 FROM blocks WHERE user = ? AND blocked = ?"
        return try connection.first(sql, [.user(user), .user(other)]) { _ in true } ?? false
    }

    struct Set: StoreRequest {
        let user: UserID
        let other: UserID
        let isBlocked: Bool

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            let sql =
                self.isBlocked
                ? "INSERT OR IGNORE INTO blocks (user, blocked) VALUES (?, ?)"
                : "DELETE FROM blocks WHERE user = ? AND blocked = ?"
            try connection.run(sql, [.user(self.user), .user(self.other)])
            let pair = StoreMemory.Pair(self.user, self.other)
            guard let record = try ConversationBook.direct(pair, connection), var member = record.member(self.user)
            else { return }
            member.blocksOther = self.isBlocked
            record.machine.accepted(member)
        }
    }

    struct All: StoreRequest {
        let user: UserID

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [UserID] {
            try connection.all("SELECT blocked FROM blocks WHERE user = ? ORDER BY blocked", [.user(self.user)]) {
                row throws(StoreError) in try row.required(row.text(0).flatMap { UserID($0) }, "user id")
            }
        }
    }
}
