import Keeping
import Vocabulary

extension MemoryTables {
    func user(_ id: UserID) throws(StoreError) -> UserRow? { try self.read { $0.users[id] } }

    func users(_ ids: [UserID]) throws(StoreError) -> [UserID: UserRow] {
        try self.read { rows in ids.reduce(into: [:]) { $0[$1] = rows.users[$1] } }
    }

    func user(named name: UserName) throws(StoreError) -> UserRow? {
        try self.read { $0.users.values.first { $0.folded == name.text.lowercased() } }
    }

    func user(withTokenHash hash: [UInt8]) throws(StoreError) -> UserRow? {
        try self.read { $0.users.values.first { $0.token?.hash == hash } }
    }

    func users(after name: String, limit: Int) throws(StoreError) -> [UserRow] {
        let start = name.lowercased()
        return try self.read { rows in
            let later = rows.users.values.filter { $0.folded.map { $0 > start } ?? false }
            return Array(later.sorted { ($0.folded ?? "") < ($1.folded ?? "") }.prefix(limit))
        }
    }

    func userIDs(after id: String, limit: Int) throws(StoreError) -> [UserID] {
        try self.read { rows in
            let living = rows.users.values.filter { $0.tombstone == nil }.map(\.account.id)
            let later = living.filter { id.utf8.lexicographicallyPrecedes($0.text.utf8) }
            return Array(later.sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }.prefix(limit))
        }
    }

    func insert(_ user: UserRow) throws(StoreError) {
        try self.check(self.rows.users[user.account.id] == nil)
        self.rows.users[user.account.id] = user
    }

    func update(_ user: UserRow) throws(StoreError) { self.rows.users[user.account.id] = user }

    func isPicture(_ file: FileID) throws(StoreError) -> Bool {
        try self.read { $0.users.values.contains { $0.picture == file } }
    }

    func isRetired(nameHash: [UInt8]) throws(StoreError) -> Bool {
        try self.read { $0.users.values.contains { $0.tombstone?.retiredName == nameHash } }
    }

    func deletedUsers(isErasing: Bool) throws(StoreError) -> [UserID] {
        try self.read { rows in
            rows.users.values.filter { user in
                user.tombstone.map { $0.isErasing || !isErasing } ?? false
            }.map(\.account.id)
        }
    }
}

extension UserRow {
    fileprivate var folded: String? { self.account.name?.text.lowercased() }
}

extension MemoryTables {
    func refreshFamily(_ id: RandomToken) throws(StoreError) -> RefreshFamily? {
        try self.read { $0.families[id]?.family }
    }

    func refreshFamilies(of user: UserID) throws(StoreError) -> [RefreshFamily] {
        try self.read { rows in
            rows.families.values.filter { $0.family.user == user }.sorted { $0.used > $1.used }.map(\.family)
        }
    }

    func refreshFamilyUses(of user: UserID) throws(StoreError) -> [RefreshFamily.Use] {
        try self.read { rows in
            rows.families.values.filter { $0.family.user == user }.sorted { $0.used > $1.used }.map {
                RefreshFamily.Use(family: $0.family.id, lastUsed: $0.used, expiry: $0.family.expiry)
            }
        }
    }

    func insert(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError) {
        try self.check(self.rows.families[family.id] == nil)
        self.rows.families[family.id] = (family, now)
    }

    func update(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError) {
        self.rows.families[family.id] = (family, now)
    }

    func removeRefreshFamily(_ id: RandomToken) throws(StoreError) {
        self.rows.families[id] = nil
        self.dropPushDevices { $0.family == id }
    }

    func removeRefreshFamilies(expiredBy now: WallTime) throws(StoreError) {
        self.rows.families = self.rows.families.filter { $0.value.family.expiry > now }
        let left = self.rows.families
        self.dropPushDevices { device in device.family.map { left[$0] == nil } ?? false }
    }
}

extension MemoryTables {
    func restrictions() throws(StoreError) -> [Restriction] { try self.read { Array($0.restrictions.values) } }

    func put(_ restriction: Restriction) throws(StoreError) { self.rows.restrictions[restriction.user] = restriction }

    func removeRestriction(of user: UserID) throws(StoreError) { self.rows.restrictions[user] = nil }

    func revokedTokens() throws(StoreError) -> [RevokedToken] { try self.read { Array($0.revoked.values) } }

    func put(_ token: RevokedToken) throws(StoreError) {
        if self.rows.revoked[token.id] == nil { self.rows.revoked[token.id] = token }
    }

    func removeRevokedTokens(expiredBy now: WallTime) throws(StoreError) {
        self.rows.revoked = self.rows.revoked.filter { $0.value.expiry > now }
    }

    func put(_ call: StoredCall) throws(StoreError) {
        if self.rows.calls[call.id] == nil { self.rows.calls[call.id] = call }
    }

    func calls(of user: UserID, startedBefore start: WallTime, limit: Int) throws(StoreError) -> [StoredCall] {
        try self.read { rows in
            let calls = rows.calls.values.filter { ($0.caller == user || $0.callee == user) && $0.started < start }
            return Array(calls.sorted { $0.started > $1.started }.prefix(limit))
        }
    }

    func put(_ call: CallUnderWay) throws(StoreError) {
        if self.rows.callsUnderWay[call.id] == nil { self.rows.callsUnderWay[call.id] = call }
    }

    func callsUnderWay() throws(StoreError) -> [CallUnderWay] { try self.read { Array($0.callsUnderWay.values) } }

    func removeCallUnderWay(_ id: CallID) throws(StoreError) { self.rows.callsUnderWay[id] = nil }

    func callCount(endedBefore end: WallTime) throws(StoreError) -> Int {
        try self.read { $0.calls.values.count { $0.ended < end } }
    }

    func removeCalls(endedBefore end: WallTime) throws(StoreError) {
        self.rows.calls = self.rows.calls.filter { $0.value.ended >= end }
    }
}
