package import Vocabulary

package struct AddUser: StoreRequest {
    package let user: StoredUser
    package let token: LongLivedToken?
    /// As names of deleted accounts are kept.
    package let nameHash: [UInt8]?

    package static let access = StoreAccess.writes

    package init(_ user: StoredUser, _ token: LongLivedToken? = nil, nameHash: [UInt8]? = nil) {
        self.user = user
        self.token = token
        self.nameHash = nameHash
    }

    package func perform(on tables: some Tables) throws(StoreError) -> AddedUser {
        guard try tables.user(self.user.id) == nil else { return .idTaken }
        if let name = self.user.name, try tables.user(named: name) != nil { return .nameTaken }
        if let hash = self.nameHash, try tables.isRetired(nameHash: hash) { return .nameTaken }
        try tables.insert(UserRow(self.user, token: self.token))
        return .added
    }
}

package enum AddedUser: Hashable, Sendable {
    case added
    /// The name is taken, perhaps in other letters' case.
    case nameTaken
    case idTaken
}

package enum FindUser: StoreRequest {
    case id(UserID)
    /// As it was registered, letter by letter.
    case name(UserName)
    case tokenHash([UInt8], at: WallTime)

    package static let access = StoreAccess.reads

    package func perform(on tables: some Tables) throws(StoreError) -> StoredUser? {
        switch self {
        case .id(let id): return try tables.user(id)?.livingAccount
        case .name(let name):
            let user = try tables.user(named: name)?.account
            return user?.name == name ? user : nil
        case .tokenHash(let hash, let now):
            let user = try tables.user(withTokenHash: hash)
            return user?.token.map { $0.expiry > now } == true ? user?.account : nil
        }
    }
}

/// All users with a name, in the order of the names, from the one after `name`.
package struct ListUsers: StoreRequest {
    package let name: String
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(after name: String, limit: Int) {
        self.name = name
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [StoredUser] {
        try tables.users(after: self.name, limit: max(self.limit, 0)).map(\.account)
    }
}

/// Everybody who has a profile here, in the order of the ids.
package struct ListUserIDs: StoreRequest {
    package let id: String
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(after id: String, limit: Int) {
        self.id = id
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [UserID] {
        try tables.userIDs(after: self.id, limit: self.limit)
    }
}

package struct FindLongLivedToken: StoreRequest {
    package let user: UserID

    package static let access = StoreAccess.reads

    package init(of user: UserID) { self.user = user }

    package func perform(on tables: some Tables) throws(StoreError) -> LongLivedToken? {
        try tables.user(self.user)?.token
    }
}

/// Answers whether there is such a user.
package struct SetCredential: StoreRequest {
    package enum Credential: Hashable, Sendable {
        case passwordHash(String)
        case token(LongLivedToken)
    }

    package let user: UserID
    package let credential: Credential

    package static let access = StoreAccess.writes

    package init(_ credential: Credential, of user: UserID) {
        self.user = user
        self.credential = credential
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard var user = try tables.user(self.user), user.tombstone == nil else { return false }
        switch self.credential {
        case .passwordHash(let hash): user.account.passwordHash = hash
        case .token(let token): user.token = token
        }
        try tables.update(user)
        return true
    }
}
