internal import Conversing
internal import FileTypes
internal import Vocabulary

/// Files that are whole.
enum FileQueries {
    struct Add: StoreRequest {
        let file: FileRecord

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) {
            let (file, id) = (self.file, SQLValue.text(self.file.id.text))
            try connection.run("DELETE FROM uploads WHERE id = ?", [id])
            let sql = """
                INSERT INTO files (id, owner, hash, size, type, label, width, height, small_width, small_height, created,
                    stay)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            try connection.run(
                sql,
                [
                    id, .user(file.owner), .blob(file.hash.bytes), .integer(Int64(file.size)),
                    .text(file.type.mediaType), .text(file.label?.text), .length(file.picture?.width),
                    .length(file.picture?.height), .length(file.thumbnail?.width), .length(file.thumbnail?.height),
                    .time(file.created), .integer(Int64(file.stay.rawValue)),
                ])
        }
    }

    struct ByID: StoreRequest {
        let id: FileID
        let reader: FileReader

        static let writes = false
        static let looksAside = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> FileRecord? {
            guard let file = try FileQueries.read(self.id, connection) else { return nil }
            switch self.reader {
            case .bearer: return file
            case .anybody: return file.stay.isOpen ? file : nil
            case .onlooker: return try ProfileQueries.isPicture(file.id, connection) ? file : nil
            case .user(let user):
                return try FileQueries.canSee(file.id, user, owner: file.owner, connection) ? file : nil
            }
        }
    }

    struct Remove: StoreRequest {
        let id: FileID
        let owner: UserID

        static let writes = true

        /// What was in it goes with the next sweep.
        func perform(on connection: borrowing Connection) throws(StoreError) -> FileRemoval {
            let values: [SQLValue] = [.text(self.id.text), .user(self.owner)]
            let uses = try connection.first("SELECT uses FROM files WHERE id = ? AND owner = ?", values) {
                $0.integer(0)
            }
            guard let uses else { return .unknown }
            guard uses == 0 else { return .inUse }
            // Whoever holds a link can follow it no more; the sweep finds the row by its age.
            try connection.run("UPDATE files SET created = 0, owner = '', stay = 0 WHERE id = ?", [.text(self.id.text)])
            return .removed
        }
    }

    private static func read(_ id: FileID, _ connection: borrowing Connection) throws(StoreError) -> FileRecord? {
        let sql = """
            SELECT owner, hash, size, type, label, width, height, small_width, small_height, created, stay
            FROM files WHERE id = ? AND owner <> ''
            """
        return try connection.first(sql, [.text(id.text)]) { row throws(StoreError) in
            var file = FileRecord(
                id, of: try row.required(row.text(0).flatMap { UserID($0) }, "owner"),
                try row.required(ContentHash(row.blob(1)), "hash"), size: Int(row.integer(2)),
                type: FileType(mediaType: row.text(3) ?? ""), label: row.text(4).flatMap { FileLabel(cleaning: $0) },
                created: WallTime(milliseconds: row.integer(9)))
            file.picture = row.size(5)
            file.thumbnail = row.size(7)
            file.stay = FileStay(rawValue: Int(row.integer(10))) ?? .usual
            return file
        }
    }
}

// MARK: - Which messages show which files

extension FileQueries {
    /// Its owner sees a file, and whoever can read an entry that shows it.
    static func canSee(
        _ id: FileID, _ user: UserID, owner: UserID, _ connection: borrowing Connection
    ) throws(StoreError) -> Bool {
        if user == owner { return true }
        let sql = """
            SELECT 1 FROM shown_files s JOIN members m ON m.conversation = s.entry >> 32 AND m.user = ?
            WHERE s.file = ? AND (s.entry & 4294967295) > m.since LIMIT 1
            """
        return try connection.first(sql, [.user(user), .text(id.text)]) { _ in true } ?? false
    }

    /// Whether somebody may show all of these to others.
    static func canShow(
        _ ids: [FileID], _ user: UserID, _ connection: borrowing Connection
    ) throws(StoreError) -> Bool {
        for id in ids {
            guard let file = try self.read(id, connection),
                try self.canSee(id, user, owner: file.owner, connection)
            else { return false }
        }
        return true
    }

    static func show(_ ids: [FileID], in entry: Int64, _ connection: borrowing Connection) throws(StoreError) {
        for id in Set(ids) {
            let values: [SQLValue] = [.text(id.text), .integer(entry)]
            try connection.run("INSERT INTO shown_files (file, entry) VALUES (?, ?)", values)
            try connection.run("UPDATE files SET uses = uses + 1 WHERE id = ?", [.text(id.text)])
        }
    }

    static func hideAll(in entry: Int64, _ connection: borrowing Connection) throws(StoreError) {
        let sql = "UPDATE files SET uses = uses - 1 WHERE id IN (SELECT file FROM shown_files WHERE entry = ?)"
        try connection.run(sql, [.integer(entry)])
        try connection.run("DELETE FROM shown_files WHERE entry = ?", [.integer(entry)])
    }
}

// MARK: - What nobody needs any more

extension FileQueries {
    struct Sweep: StoreRequest {
        let now: WallTime
        let unusedSince: WallTime
        let limit: Int

        static let writes = true

        func perform(on connection: borrowing Connection) throws(StoreError) -> SweptFiles {
            var swept = SweptFiles()
            let limit = SQLValue.integer(Int64(self.limit))
            swept.uploads = try connection.all(
                "DELETE FROM uploads WHERE id IN (SELECT id FROM uploads WHERE expiry <= ? LIMIT ?) RETURNING id",
                [.time(self.now), limit]
            ) { row throws(StoreError) in try row.required(row.text(0).flatMap { FileID($0) }, "upload id") }
            let sql = """
                DELETE FROM files WHERE id IN (SELECT id FROM files WHERE uses = 0 AND stay < 2 AND created < ? LIMIT ?)
                RETURNING hash
                """
            let gone = try connection.all(sql, [.time(self.unusedSince), limit]) { row throws(StoreError) in
                try row.required(ContentHash(row.blob(0)), "hash")
            }
            swept.hasMore = gone.count == self.limit || swept.uploads.count == self.limit
            swept.contents = try FileQueries.unknown(among: Array(Set(gone)), connection)
            return swept
        }
    }

    struct Unknown: StoreRequest {
        let contents: [ContentHash]

        static let writes = false

        func perform(on connection: borrowing Connection) throws(StoreError) -> [ContentHash] {
            try FileQueries.unknown(among: self.contents, connection)
        }
    }

    private static func unknown(
        among contents: [ContentHash], _ connection: borrowing Connection
    ) throws(StoreError) -> [ContentHash] {
        let sql = "SELECT 1 FROM files WHERE hash = ? LIMIT 1"
        var unknown: [ContentHash] = []
        for hash in contents where try connection.first(sql, [.blob(hash.bytes)], { _ in true }) == nil {
            unknown.append(hash)
        }
        return unknown
    }
}

extension SQLValue {
    fileprivate static func length(_ length: Int?) -> SQLValue { length.map { .integer(Int64($0)) } ?? .null }
}

extension Statement {
    fileprivate func size(_ column: Int32) -> PictureSize? {
        guard !self.isNull(column) else { return nil }
        return PictureSize(width: Int(self.integer(column)), height: Int(self.integer(column + 1)))
    }
}
