internal import Vocabulary

enum RestrictionQueries {
    struct Set: StoreRequest {
        let restriction: Restriction

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            let user = SQLValue.user(self.restriction.user)
            guard self.restriction.notBefore != nil || self.restriction.bannedUntil != nil else {
                try connection.run("DELETE FROM restrictions WHERE user = ?", [user])
                return
            }
            try connection.run(
                "INSERT OR REPLACE INTO restrictions (user, not_before, banned_until) VALUES (?, ?, ?)",
                [user, .time(self.restriction.notBefore), .time(self.restriction.bannedUntil)])
        }
    }

    struct Revoke: StoreRequest {
        let token: RevokedToken

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            try connection.run(
                "INSERT OR IGNORE INTO revoked_tokens (id, expiry) VALUES (?, ?)",
                [.text(self.token.id), .time(self.token.expiry)])
        }
    }

    /// Also sweeps out what has lost its meaning: call it now and then.
    struct All: StoreRequest {
        let now: WallTime
        /// Every token issued before has ended by now.
        let tokensSince: WallTime

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> ([Restriction], [RevokedToken]) {
            try self.sweep(connection)
            let restrictions = try connection.all("SELECT user, not_before, banned_until FROM restrictions") {
                row throws(StoreError) in
                Restriction(
                    user: try row.required(row.text(0).flatMap { UserID($0) }, "user id"),
                    notBefore: row.isNull(1) ? nil : WallTime(milliseconds: row.integer(1)),
                    bannedUntil: row.isNull(2) ? nil : WallTime(milliseconds: row.integer(2)))
            }
            let tokens = try connection.all("SELECT id, expiry FROM revoked_tokens") { row throws(StoreError) in
                RevokedToken(
                    id: try row.required(row.text(0), "token id"), expiry: WallTime(milliseconds: row.integer(1)))
            }
            return (restrictions, tokens)
        }

        private func sweep(_ connection: borrowing Connection) throws(StoreError) {
            let now = SQLValue.time(self.now)
            try connection.run("DELETE FROM revoked_tokens WHERE expiry <= ?", [now])
            try connection.run("DELETE FROM refresh_families WHERE expiry <= ?", [now])
            try connection.run(
                """
                DELETE FROM restrictions
                WHERE coalesce(banned_until <= ?, TRUE) AND coalesce(not_before < ?, TRUE)
                """, [now, .time(self.tokensSince)])
        }
    }
}
