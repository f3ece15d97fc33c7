internal import Vocabulary

enum UserQueries {
    private static let columns = "id, name, password_hash, display_name, avatar, created"

    struct Add: StoreRequest {
        let user: StoredUser
        let token: LongLivedToken?

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> AddedUser {
            guard try !self.exists("id = ?", self.user.id.text, connection) else { return .idTaken }
            if let name = self.user.name, try self.exists("name = ?", name.text, connection) { return .nameTaken }
            try connection.run(
                """
                INSERT INTO users (\(columns), token_version, token_hash, token_expiry)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, self.values)
            return .added
        }

        private func exists(
            _ condition: String, _ text: String, _ connection: borrowing Connection
        ) throws(StoreError) -> Bool {
            try connection.first("SELECT 1 FROM users WHERE \(condition)", [.text(text)]) { _ in true } ?? false
        }

        private var values: [SQLValue] {
            [
                .text(self.user.id.text), .text(self.user.name?.text), .text(self.user.passwordHash),
                .text(self.user.displayName?.text), .text(self.user.avatar?.text), .time(self.user.created),
                self.token.map { .integer($0.version) } ?? .null, self.token.map { .blob($0.hash) } ?? .null,
                .time(self.token?.expiry),
            ]
        }
    }

    struct ByID: StoreRequest {
        let id: UserID

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> StoredUser? {
            let sql = "SELECT \(columns) FROM users WHERE id = ?"
            return try connection.first(sql, [.user(self.id)]) { row throws(StoreError) in try StoredUser(row) }
        }
    }

    struct ByName: StoreRequest {
        let name: UserName

        static let writes = false

        /// The index of names knows no letters' case: it finds the one row there can be, and the second condition looks
        /// whether it is written the same.
        static let sql = "SELECT \(columns) FROM users WHERE name = ?1 AND name = ?1 COLLATE BINARY"

        func perform(on connection: borrowing Connection) throws(StoreError) -> StoredUser? {
            let values: [SQLValue] = [.text(self.name.text)]
            return try connection.first(Self.sql, values) { row throws(StoreError) in try StoredUser(row) }
        }
    }

    struct ByToken: StoreRequest {
        let hash: [UInt8]
        let now: WallTime

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> StoredUser? {
            let sql = "SELECT \(columns) FROM users WHERE token_hash = ? AND token_expiry > ?"
            let values: [SQLValue] = [.blob(self.hash), .time(self.now)]
            return try connection.first(sql, values) { row throws(StoreError) in try StoredUser(row) }
        }
    }

    struct Page: StoreRequest {
        let after: String
        let limit: Int

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [StoredUser] {
            let sql = "SELECT \(columns) FROM users WHERE name > ? ORDER BY name LIMIT ?"
            let values: [SQLValue] = [.text(self.after), .integer(Int64(max(self.limit, 0)))]
            return try connection.all(sql, values) { row throws(StoreError) in try StoredUser(row) }
        }
    }

    struct Token: StoreRequest {
        let id: UserID

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> LongLivedToken? {
            let sql = "SELECT token_version, token_hash, token_expiry FROM users WHERE id = ? AND token_hash NOT NULL"
            return try connection.first(sql, [.user(self.id)]) { row in
                LongLivedToken(
                    version: row.integer(0), hash: row.blob(1), expiry: WallTime(milliseconds: row.integer(2)))
            }
        }
    }

    struct SetPasswordHash: StoreRequest {
        let id: UserID
        let hash: String

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Bool {
            let values: [SQLValue] = [.text(self.hash), .user(self.id)]
            return try connection.run("UPDATE users SET password_hash = ? WHERE id = ?", values) > 0
        }
    }

    struct SetToken: StoreRequest {
        let id: UserID
        let token: LongLivedToken

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Bool {
            let sql = "UPDATE users SET token_version = ?, token_hash = ?, token_expiry = ? WHERE id = ?"
            let values: [SQLValue] = [
                .integer(self.token.version), .blob(self.token.hash), .time(self.token.expiry), .user(self.id),
            ]
            return try connection.run(sql, values) > 0
        }
    }
}

extension StoredUser {
    /// From the columns of `UserQueries`.
    fileprivate init(_ row: borrowing Statement) throws(StoreError) {
        self.id = try row.required(row.text(0).flatMap { UserID($0) }, "user id")
        self.name = row.text(1).flatMap { try? UserName($0) }
        self.passwordHash = row.text(2)
        self.displayName = row.text(3).flatMap { DisplayName($0) }
        self.avatar = row.text(4).flatMap { AvatarLink($0) }
        self.created = WallTime(milliseconds: row.integer(5))
    }
}
