internal import Vocabulary

/// Files on their way here.
enum UploadQueries {
    struct Begin: StoreRequest {
        let upload: UploadRecord
        let allowance: FileAllowance

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> UploadBeginning {
            let owner = SQLValue.user(self.upload.owner)
            let (count, coming) =
                try connection.first("SELECT count(*), coalesce(sum(length), 0) FROM uploads WHERE owner = ?", [owner])
            {
                (Int($0.integer(0)), Int($0.integer(1)))
            } ?? (0, 0)
            guard count < self.allowance.uploads else { return .tooMany }
            let sql = "SELECT coalesce(sum(size), 0) FROM files WHERE owner = ?"
            let kept = try connection.first(sql, [owner]) { Int($0.integer(0)) } ?? 0
            guard self.upload.length <= self.allowance.bytes - coming - kept else {
                return .overQuota(used: coming + kept)
            }
            try connection.run(
                "INSERT INTO uploads (id, owner, length, label, expiry) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(self.upload.id.text), owner, .integer(Int64(self.upload.length)),
                    .text(self.upload.label?.text), .time(self.upload.expiry),
                ])
            return .begun
        }
    }

    struct ByID: StoreRequest {
        let id: FileID

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> UploadRecord? {
            let sql = "SELECT owner, length, label, expiry FROM uploads WHERE id = ?"
            return try connection.first(sql, [.text(self.id.text)]) { row throws(StoreError) in
                UploadRecord(
                    self.id, of: try row.required(row.text(0).flatMap { UserID($0) }, "owner"),
                    length: Int(row.integer(1)), label: row.text(2).flatMap { FileLabel(cleaning: $0) },
                    expiry: WallTime(milliseconds: row.integer(3)))
            }
        }
    }

    struct All: StoreRequest {
        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> [FileID: Int] {
            let rows = try connection.all("SELECT id, length FROM uploads", []) { row throws(StoreError) in
                (try row.required(row.text(0).flatMap { FileID($0) }, "file id"), Int(row.integer(1)))
            }
            return Dictionary(rows) { first, _ in first }
        }
    }

    struct GiveUp: StoreRequest {
        let id: FileID
        let owner: UserID

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> Bool {
            let sql = "DELETE FROM uploads WHERE id = ? AND owner = ?"
            return try connection.run(sql, [.text(self.id.text), .user(self.owner)]) > 0
        }
    }
}
