internal import Vocabulary

enum RefreshQueries {
    /// As many devices as one user may stay signed in on.
    static let familiesPerUser = 32

    struct Begin: StoreRequest {
        let family: RefreshFamily
        let now: WallTime

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            let user = SQLValue.user(self.family.user)
            try connection.run("DELETE FROM refresh_families WHERE user = ? AND expiry <= ?", [user, .time(self.now)])
            try connection.run(
                """
                DELETE FROM refresh_families WHERE id IN
                    (SELECT id FROM refresh_families WHERE user = ? ORDER BY used DESC LIMIT -1 OFFSET ?)
                """, [user, .integer(Int64(familiesPerUser - 1))])
            try connection.run(
                "INSERT INTO refresh_families (id, user, current_hash, used, expiry) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(self.family.id.text), user, .blob(self.family.current), .time(self.now),
                    .time(self.family.expiry),
                ])
        }
    }

    struct Present: StoreRequest {
        let presentation: RefreshPresentation

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> RefreshOutcome {
            guard let family = try self.family(connection) else { return .unknown }
            let shown = self.presentation
            switch family.presented(shown.hash, next: shown.nextHash, expiry: shown.nextExpiry, at: shown.now) {
            case .follow(let next):
                try self.keep(next, connection)
                return .followed(family.user, try UserQueries.ByID(id: family.user).perform(on: connection))
            case .expired:
                _ = try End(id: family.id).perform(on: connection)
                return .expired
            case .reused:
                _ = try End(id: family.id).perform(on: connection)
                return .reused(family.user)
            }
        }

        private func family(_ connection: borrowing Connection) throws(StoreError) -> RefreshFamily? {
            let sql = "SELECT user, current_hash, previous_hash, expiry FROM refresh_families WHERE id = ?"
            let id = self.presentation.family
            return try connection.first(sql, [.text(id.text)]) { row throws(StoreError) in
                RefreshFamily(
                    id: id, user: try row.required(row.text(0).flatMap { UserID($0) }, "user id"),
                    current: row.blob(1), previous: row.isNull(2) ? nil : row.blob(2),
                    expiry: WallTime(milliseconds: row.integer(3)))
            }
        }

        private func keep(_ family: RefreshFamily, _ connection: borrowing Connection) throws(StoreError) {
            let sql =
                "UPDATE refresh_families SET current_hash = ?, previous_hash = ?, used = ?, expiry = ? WHERE id = ?"
            try connection.run(
                sql,
                [
                    .blob(family.current), family.previous.map(SQLValue.blob) ?? .null, .time(self.presentation.now),
                    .time(family.expiry), .text(family.id.text),
                ])
        }
    }

    struct End: StoreRequest {
        let id: RandomToken

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> UserID? {
            let sql = "DELETE FROM refresh_families WHERE id = ? RETURNING user"
            return try connection.all(sql, [.text(self.id.text)]) { row throws(StoreError) in
                try row.required(row.text(0).flatMap { UserID($0) }, "user id")
            }.first
        }
    }

    struct EndAll: StoreRequest {
        let user: UserID

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Int {
            try connection.run("DELETE FROM refresh_families WHERE user = ?", [.user(self.user)])
        }
    }
}
