package import Conversing
internal import FileTypes
package import Keeping
package import Vocabulary

private enum FileColumn: Int, Column {
    case id, owner, hash, size, type, label, width, height, smallWidth, smallHeight, created, stay, uses,
        duration, waveform
}

extension FileRow {
    fileprivate init(_ row: Row<FileColumn>) throws(StoreError) {
        var file = FileRecord(
            try row.required(.id) { FileID($0) }, of: try row.required(.owner) { UserID($0) },
            try row.required(.hash, ContentHash(row.blob(.hash))), size: row.count(.size),
            type: FileType(mediaType: row.text(.type) ?? ""),
            label: row.text(.label).flatMap { FileLabel(cleaning: $0) },
            created: row.requiredTime(.created))
        file.picture = row.picture(.width, .height)
        file.thumbnail = row.picture(.smallWidth, .smallHeight)
        file.outline = SoundOutline(milliseconds: row.count(.duration), bars: row.blob(.waveform))
        file.stay = FileStay(rawValue: row.count(.stay)) ?? .usual
        self.init(file, uses: row.count(.uses))
    }
}

extension Row<FileColumn> {
    fileprivate func picture(_ width: FileColumn, _ height: FileColumn) -> PictureSize? {
        self.isNull(width) ? nil : PictureSize(width: self.count(width), height: self.count(height))
    }
}

extension FileRecord {
    fileprivate func value(of column: FileColumn) -> SQLValue {
        switch column {
        case .id: .text(self.id.text)
        case .owner: .user(self.owner)
        case .hash: .blob(self.hash.bytes)
        case .size: .count(self.size)
        case .type: .text(self.type.mediaType)
        case .label: .text(self.label?.text)
        case .width: .length(self.picture?.width)
        case .height: .length(self.picture?.height)
        case .smallWidth: .length(self.thumbnail?.width)
        case .smallHeight: .length(self.thumbnail?.height)
        case .created: .time(self.created)
        case .stay: .count(self.stay.rawValue)
        case .uses: .count(0)
        case .duration: .length(self.outline?.milliseconds)
        case .waveform: .blob(self.outline?.bars)
        }
    }
}

extension SQLTables {
    private static let fileByID = "SELECT \(FileColumn.list()) FROM files WHERE id = ? AND owner <> ''"
    private static let insertFile = "INSERT INTO files \(FileColumn.insertion)"
    private static let shownToUser = """
        SELECT 1 FROM shown_files s JOIN members m ON m.conversation = \(EntryLayout.conversation(of: "s.entry"))
        WHERE m.user = ? AND s.file = ? AND (\(EntryLayout.number(of: "s.entry"))) > m.since LIMIT 1
        """

    package func file(_ id: FileID) throws(StoreError) -> FileRow? {
        try self.connection.first(Self.fileByID, [.text(id.text)], read: FileRow.init)
    }

    package func insert(_ file: FileRecord) throws(StoreError) {
        try self.connection.run(Self.insertFile, file.value(of:))
    }

    package func setPreview(_ preview: FilePreview, of file: FileID) throws(StoreError) {
        switch preview {
        case .thumbnail(let size):
            let sql = "UPDATE files SET small_width = ?, small_height = ? WHERE id = ?"
            try self.connection.run(sql, [.length(size.width), .length(size.height), .text(file.text)])
        case .outline(let outline):
            let sql = "UPDATE files SET duration = ?, waveform = ? WHERE id = ?"
            try self.connection.run(sql, [.count(outline.milliseconds), .blob(outline.bars), .text(file.text)])
        }
    }

    package func changeUses(of file: FileID, by step: Int) throws(StoreError) {
        try self.connection.run("UPDATE files SET uses = uses + ? WHERE id = ?", [.count(step), .text(file.text)])
    }

    package func orphan(_ file: FileID) throws(StoreError) {
        let sql = "UPDATE files SET created = 0, owner = '', stay = 0 WHERE id = ?"
        try self.connection.run(sql, [.text(file.text)])
    }

    package func removeFile(_ id: FileID) throws(StoreError) {
        try self.connection.run("DELETE FROM files WHERE id = ?", [.text(id.text)])
    }

    package func fileUsage(of owner: UserID) throws(StoreError) -> FileUsage {
        let sql = "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM files WHERE owner = ?"
        return try self.connection.first(sql, [.user(owner)]) { row in
            FileUsage(count: Int(row.integer(0)), bytes: Int(row.integer(1)))
        } ?? FileUsage(count: 0, bytes: 0)
    }

    package func hasContent(_ hash: ContentHash) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM files WHERE hash = ? LIMIT 1", [.blob(hash.bytes)])
    }

    package func unusedFiles(
        createdBefore time: WallTime, limit: Int
    ) throws(StoreError) -> [(id: FileID, hash: ContentHash)] {
        // In the words of the partial index.
        let sql = "SELECT \(FileColumn.list()) FROM files WHERE uses = 0 AND stay < 2 AND created < ? LIMIT ?"
        return try self.connection.all(
            sql, [.time(time), .count(limit)]
        ) { (row: Row<FileColumn>) throws(StoreError) in
            (try row.required(.id) { FileID($0) }, try row.required(.hash, ContentHash(row.blob(.hash))))
        }
    }
}

extension SQLTables {
    private static let filesOfOwner = """
        SELECT \(FileColumn.list()) FROM files WHERE owner = ? AND id > ? ORDER BY id LIMIT ?
        """

    package func files(of owner: UserID, after file: FileID?, limit: Int) throws(StoreError) -> [FileRecord] {
        let values: [SQLValue] = [.user(owner), .text(file?.text ?? ""), .count(limit)]
        return try self.connection.all(Self.filesOfOwner, values, read: FileRow.init).map(\.file)
    }

    package func unusedFiles(of owner: UserID, limit: Int) throws(StoreError) -> [FileID] {
        let sql = "SELECT id FROM files WHERE owner = ? AND uses = 0 LIMIT ?"
        return try self.connection.all(sql, [.user(owner), .count(limit)]) { row in
            row.text(0).flatMap { FileID($0) }
        }.compactMap(\.self)
    }
}

// MARK: - Which entries show which files

extension SQLTables {
    package func show(_ file: FileID, in key: EntryKey) throws(StoreError) {
        try self.connection.run("INSERT INTO shown_files (file, entry) VALUES (?, ?)", [.text(file.text), .key(key)])
    }

    package func files(shownIn key: EntryKey) throws(StoreError) -> [FileID] {
        let sql = "SELECT file FROM shown_files WHERE entry = ?"
        return try self.connection.all(sql, [.key(key)]) { row in row.text(0).flatMap { FileID($0) } }
            .compactMap(\.self)
    }

    package func hideFiles(in key: EntryKey) throws(StoreError) {
        try self.connection.run("DELETE FROM shown_files WHERE entry = ?", [.key(key)])
    }

    package func isShown(_ file: FileID, to user: UserID) throws(StoreError) -> Bool {
        try self.connection.exists(Self.shownToUser, [.user(user), .text(file.text)])
    }
}

// MARK: - Files on their way here

private enum UploadColumn: Int, Column { case id, owner, length, label, expiry }

extension UploadRecord {
    fileprivate init(_ row: Row<UploadColumn>) throws(StoreError) {
        self.init(
            try row.required(.id) { FileID($0) }, of: try row.required(.owner) { UserID($0) },
            length: row.count(.length), label: row.text(.label).flatMap { FileLabel(cleaning: $0) },
            expiry: row.requiredTime(.expiry))
    }

    fileprivate func value(of column: UploadColumn) -> SQLValue {
        switch column {
        case .id: .text(self.id.text)
        case .owner: .user(self.owner)
        case .length: .count(self.length)
        case .label: .text(self.label?.text)
        case .expiry: .time(self.expiry)
        }
    }
}

extension SQLTables {
    private static let uploadColumns = "SELECT \(UploadColumn.list()) FROM uploads"
    private static let uploadByID = "\(uploadColumns) WHERE id = ?"
    private static let uploadsOfOwner = "\(uploadColumns) WHERE owner = ?"
    private static let expiredUploads = "\(uploadColumns) WHERE expiry <= ? LIMIT ?"
    private static let insertUpload = "INSERT INTO uploads \(UploadColumn.insertion)"

    package func upload(_ id: FileID) throws(StoreError) -> UploadRecord? {
        try self.connection.first(Self.uploadByID, [.text(id.text)], read: UploadRecord.init)
    }

    package func uploads(of owner: UserID) throws(StoreError) -> [UploadRecord] {
        try self.connection.all(Self.uploadsOfOwner, [.user(owner)], read: UploadRecord.init)
    }

    package func uploadLengths() throws(StoreError) -> [FileID: Int] {
        let uploads = try self.connection.all(Self.uploadColumns, read: UploadRecord.init)
        return Dictionary(uploads.map { ($0.id, $0.length) }) { first, _ in first }
    }

    package func insert(_ upload: UploadRecord) throws(StoreError) {
        try self.connection.run(Self.insertUpload, upload.value(of:))
    }

    package func removeUpload(_ id: FileID) throws(StoreError) {
        try self.connection.run("DELETE FROM uploads WHERE id = ?", [.text(id.text)])
    }

    package func uploads(expiredBy now: WallTime, limit: Int) throws(StoreError) -> [FileID] {
        try self.connection.all(Self.expiredUploads, [.time(now), .count(limit)], read: UploadRecord.init).map(\.id)
    }
}
