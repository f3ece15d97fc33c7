package import Keeping
package import Vocabulary

enum UserColumn: Int, Column {
    case id, name, passwordHash, displayName, avatar, created, tokenVersion, tokenHash, tokenExpiry, picture
    case profileChanged, deleted, deletedName, erasing
}

extension UserRow {
    fileprivate init(_ row: Row<UserColumn>) throws(StoreError) {
        let account = StoredUser(
            id: try row.required(.id) { UserID($0) }, name: row.text(.name).flatMap { try? UserName($0) },
            passwordHash: row.text(.passwordHash), displayName: row.text(.displayName).flatMap { DisplayName($0) },
            avatar: row.text(.avatar).flatMap { AvatarLink($0) }, created: row.requiredTime(.created))
        self.init(account)
        if !row.isNull(.tokenHash) {
            self.token = LongLivedToken(
                version: row.integer(.tokenVersion), hash: row.blob(.tokenHash),
                expiry: row.requiredTime(.tokenExpiry))
        }
        self.picture = row.text(.picture).flatMap { FileID($0) }
        self.profileChanged = row.requiredTime(.profileChanged)
        guard let deleted = row.time(.deleted) else { return }
        self.tombstone = Tombstone(
            at: deleted, retiredName: row.isNull(.deletedName) ? nil : row.blob(.deletedName))
        self.tombstone?.isErasing = row.integer(.erasing) != 0
    }

    fileprivate func value(of column: UserColumn) -> SQLValue {
        switch column {
        case .id: .user(self.account.id)
        case .name: .text(self.account.name?.text)
        case .passwordHash: .text(self.account.passwordHash)
        case .displayName: .text(self.account.displayName?.text)
        case .avatar: .text(self.account.avatar?.text)
        case .created: .time(self.account.created)
        case .tokenVersion: self.token.map { .integer($0.version) } ?? .null
        case .tokenHash: .blob(self.token?.hash)
        case .tokenExpiry: .time(self.token?.expiry)
        case .picture: .text(self.picture?.text)
        case .profileChanged: .time(self.profileChanged)
        case .deleted: .time(self.tombstone?.time)
        case .deletedName: .blob(self.tombstone?.retiredName)
        case .erasing: .flag(self.tombstone?.isErasing == true)
        }
    }
}

extension SQLTables {
    private static let users = "SELECT \(UserColumn.list()) FROM users"
    private static let userByID = "\(users) WHERE id = ?"
    /// The index of names knows no letters' case.
    package static let userByName = "\(users) WHERE name COLLATE NOCASE = ?"
    private static let userByToken = "\(users) WHERE token_hash = ?"
    private static let usersByName = "\(users) WHERE name COLLATE NOCASE > ? ORDER BY name COLLATE NOCASE LIMIT ?"
    private static let insertUser = "INSERT INTO users \(UserColumn.insertion)"
    private static let updateUser =
        "UPDATE users SET (\(UserColumn.list())) = (\(UserColumn.places)) WHERE id = ?1"

    package func user(_ id: UserID) throws(StoreError) -> UserRow? {
        try self.connection.first(Self.userByID, [.user(id)], read: UserRow.init)
    }

    package func users(_ ids: [UserID]) throws(StoreError) -> [UserID: UserRow] {
        try self.connection.firstOfEach(Self.userByID, ids, as: { .user($0) }, read: UserRow.init)
    }

    package func user(named name: UserName) throws(StoreError) -> UserRow? {
        try self.connection.first(Self.userByName, [.text(name.text.lowercased())], read: UserRow.init)
    }

    package func user(withTokenHash hash: [UInt8]) throws(StoreError) -> UserRow? {
        try self.connection.first(Self.userByToken, [.blob(hash)], read: UserRow.init)
    }

    package func users(after name: String, limit: Int) throws(StoreError) -> [UserRow] {
        try self.connection.all(Self.usersByName, [.text(name.lowercased()), .count(limit)], read: UserRow.init)
    }

    package func userIDs(after id: String, limit: Int) throws(StoreError) -> [UserID] {
        let sql = "SELECT \(UserColumn.list()) FROM users WHERE id > ? AND deleted IS NULL ORDER BY id LIMIT ?"
        return try self.connection.all(sql, [.text(id), .count(limit)]) { (row: Row<UserColumn>) throws(StoreError) in
            try row.required(.id) { UserID($0) }
        }
    }

    package func insert(_ user: UserRow) throws(StoreError) {
        try self.connection.run(Self.insertUser, user.value(of:))
    }

    package func update(_ user: UserRow) throws(StoreError) {
        try self.connection.run(Self.updateUser, user.value(of:))
    }

    package func isPicture(_ file: FileID) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM users WHERE picture = ? LIMIT 1", [.text(file.text)])
    }

    package func isRetired(nameHash: [UInt8]) throws(StoreError) -> Bool {
        try self.connection.exists("SELECT 1 FROM users WHERE deleted_name = ?", [.blob(nameHash)])
    }

    package func deletedUsers(isErasing: Bool) throws(StoreError) -> [UserID] {
        let sql = "SELECT id FROM users WHERE deleted IS NOT NULL AND erasing >= ?"
        return try self.connection.all(sql, [.flag(isErasing)]) { row in row.text(0).flatMap { UserID($0) } }
            .compactMap(\.self)
    }
}
