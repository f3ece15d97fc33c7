internal import Conversing
internal import Vocabulary

enum BlockQueries {
    static func blocks(_ user: UserID, _ other: UserID, _ connection: borrowing Connection) throws(StoreError) -> Bool {
        let sql = "SELECT 1 FROM blocks WHERE user = ? AND blocked = ?"
        return try connection.first(sql, [.user(user), .user(other)]) { _ in true } ?? false
    }

    /// Those who do not want to hear from `other`.
    static func blocking(
        _ other: UserID, among users: [UserID], _ connection: borrowing Connection
    ) throws(StoreError) -> Swift.Set<UserID> {
        var found: Swift.Set<UserID> = []
        for user in users where try self.blocks(user, other, connection) { found.insert(user) }
        return found
    }

    struct Set: StoreRequest {
        let user: UserID
        let other: UserID
        let isBlocked: Bool

        static let writes = true

        /// They are known to the server for as long as their user is there.
        static let mostBlocked = 1000

        func perform(on connection: borrowing Connection) throws(StoreError) -> Result<Void, ConversationRefusal> {
            if self.isBlocked { guard try self.hasRoom(connection) else { return .failure(.tooManyBlocked) } }
            let sql =
                self.isBlocked
                ? "INSERT OR IGNORE INTO blocks (user, blocked) VALUES (?, ?)"
                : "DELETE FROM blocks WHERE user = ? AND blocked = ?"
            try connection.run(sql, [.user(self.user), .user(self.other)])
            let pair = StoreMemory.Pair(self.user, self.other)
            guard let record = try ConversationBook.direct(pair, connection), var member = record.member(self.user)
            else { return .success(()) }
            member.blocksOther = self.isBlocked
            record.machine.accepted(member)
            return .success(())
        }

        private func hasRoom(_ connection: borrowing Connection) throws(StoreError) -> Bool {
            let sql = "SELECT count(*) FROM blocks WHERE user = ? AND blocked <> ?"
            let others = try connection.first(sql, [.user(self.user), .user(self.other)]) { $0.integer(0) } ?? 0
            return others < Self.mostBlocked
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
