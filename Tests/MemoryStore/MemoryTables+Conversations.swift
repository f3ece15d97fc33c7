import Conversing
import Keeping
import Vocabulary

extension MemoryTables {
    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationRow? {
        try self.read { rows in rows.keys[id].flatMap { rows.conversations[$0] } }
    }

    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationRow? {
        try self.read { $0.conversations[key] }
    }

    func conversations(_ keys: [ConversationKey]) throws(StoreError) -> [ConversationKey: ConversationRow] {
        try self.read { rows in keys.reduce(into: [:]) { $0[$1] = rows.conversations[$1] } }
    }

    func heads(of ids: [ConversationID]) throws(StoreError) -> [ConversationHead] {
        try self.read { rows in
            ids.compactMap { id in
                guard let key = rows.keys[id], let last = rows.entries[key]?.last else { return nil }
                return ConversationHead(id, last.number)
            }
        }
    }

    func isSubject(_ subject: String) throws(StoreError) -> Bool {
        try self.read { $0.conversations.values.contains { $0.subject == subject } }
    }

    func direct(_ pair: UserPair) throws(StoreError) -> ConversationKey? { try self.read { $0.directs[pair] } }

    func conversations(
        after key: ConversationKey, withRetention: Bool, limit: Int
    ) throws(StoreError) -> [ConversationRow] {
        try self.read { rows in
            let later = rows.conversations.values.filter { row in
                row.key.number > key.number && (!withRetention || row.retention != nil)
            }
            return Array(later.sorted { $0.key.number < $1.key.number }.prefix(limit))
        }
    }

    func nextConversationKey() throws(StoreError) -> ConversationKey {
        try self.read { ConversationKey(Int64($0.conversations.count) + 1) }
    }

    func insert(_ conversation: ConversationRow) throws(StoreError) {
        try self.check(self.rows.keys[conversation.id] == nil && self.rows.conversations[conversation.key] == nil)
        self.rows.keys[conversation.id] = conversation.key
        self.rows.conversations[conversation.key] = conversation
    }

    func insertDirect(_ pair: UserPair, _ key: ConversationKey) throws(StoreError) {
        try self.check(self.rows.directs[pair] == nil)
        self.rows.directs[pair] = key
    }

    func update(_ key: ConversationKey, _ change: ConversationRow.Change) throws(StoreError) {
        switch change {
        case .title(let title): self.rows.conversations[key]?.title = title
        case .dissolved(let time): self.rows.conversations[key]?.dissolved = time
        case .indexed(let number): self.rows.conversations[key]?.indexed = number
        case .retention(let retention): self.rows.conversations[key]?.retention = retention
        case .slowMode(let slowMode): self.rows.conversations[key]?.slowMode = slowMode
        }
    }

    func isBlocked(_ other: UserID, by user: UserID) throws(StoreError) -> Bool {
        try self.read { $0.blocks[user]?.contains(other) ?? false }
    }

    func blocked(by user: UserID) throws(StoreError) -> [UserID] {
        try self.read { ($0.blocks[user] ?? []).sorted { $0.text < $1.text } }
    }

    func putBlock(of other: UserID, by user: UserID) throws(StoreError) {
        self.rows.blocks[user, default: []].insert(other)
    }

    func removeBlock(of other: UserID, by user: UserID) throws(StoreError) { self.rows.blocks[user]?.remove(other) }

    func removeBlocks(by user: UserID) throws(StoreError) { self.rows.blocks[user] = nil }
}

// MARK: - Members

extension MemoryTables {
    func member(_ user: UserID, of key: ConversationKey) throws(StoreError) -> MemberRow? {
        try self.read { $0.members[key]?[user] }
    }

    func members(of key: ConversationKey, after user: String, limit: Int) throws(StoreError) -> [MemberRow] {
        try self.read { rows in
            let later = (rows.members[key] ?? [:]).values.filter { $0.member.user.text > user }
            return Array(later.sorted { $0.member.user.text < $1.member.user.text }.prefix(limit))
        }
    }

    func memberCount(of key: ConversationKey, limit: Int) throws(StoreError) -> Int {
        try self.read { min($0.members[key]?.count ?? 0, limit) }
    }

    func insert(_ member: Member, of key: ConversationKey) throws(StoreError) {
        try self.check(self.rows.members[key]?[member.user] == nil)
        self.rows.members[key, default: [:]][member.user] = Self.row(member)
        self.rows.places[member.user, default: []].insert(key)
    }

    func update(_ member: Member, of key: ConversationKey) throws(StoreError) {
        guard let old = self.rows.members[key]?[member.user] else { return }
        self.rows.members[key]?[member.user] = Self.row(member, old)
    }

    private static func row(_ member: Member, _ old: MemberRow? = nil) -> MemberRow {
        var member = member
        member.blocksOther = false
        return MemberRow(member, isMuted: old?.isMuted ?? false, archivedCounted: old?.archivedCounted)
    }

    func setMuted(_ isMuted: Bool, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        self.rows.members[key]?[user]?.isMuted = isMuted
    }

    func setArchived(_ counted: UInt64?, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        self.rows.members[key]?[user]?.archivedCounted = counted
    }

    func removeMember(_ user: UserID, of key: ConversationKey) throws(StoreError) {
        self.rows.members[key]?[user] = nil
        self.rows.places[user]?.remove(key)
    }

    func formerMember(_ user: UserID, of key: ConversationKey) throws(StoreError) -> FormerMember? {
        try self.read { $0.former[key]?[user] }
    }

    func put(_ former: FormerMember, _ user: UserID, of key: ConversationKey) throws(StoreError) {
        self.rows.former[key, default: [:]][user] = former
    }

    func removeFormerMember(_ user: UserID, of key: ConversationKey) throws(StoreError) {
        self.rows.former[key]?[user] = nil
    }

    func advanceMembers(of key: ConversationKey, to entry: EntryMark) throws(StoreError) {
        self.rows.members[key] = self.rows.members[key]?.mapValues { row in
            var member = row.member
            member.since = max(member.since, entry.number)
            if member.read < entry.number {
                member.read = entry.number
                member.readCounted = entry.counted
            }
            return Self.row(member, row)
        }
    }
}

// MARK: - The conversations of a user

extension MemoryTables {
    private func memberships(of user: UserID) throws(StoreError) -> [Membership] {
        try self.read { rows in
            let all = (rows.places[user] ?? []).compactMap { key -> Membership? in
                guard let conversation = rows.conversations[key], let member = rows.members[key]?[user],
                    let latest = rows.entries[key]?.last
                else { return nil }
                return Membership(conversation, member, latest: EntryMark(latest))
            }
            return all.sorted { $0.key.number < $1.key.number }
        }
    }

    func memberships(of user: UserID, in keys: [ConversationKey]) throws(StoreError) -> [Membership] {
        let all = try self.memberships(of: user)
        return keys.compactMap { key in all.first { $0.key == key } }
    }

    func membershipMarks(of user: UserID) throws(StoreError) -> [MembershipMark] {
        try self.memberships(of: user).map { MembershipMark($0) }
    }

    func unread(of user: UserID) throws(StoreError) -> [UnreadRow] {
        try self.read { rows in
            (rows.places[user] ?? []).compactMap { key in
                guard let member = rows.members[key]?[user]?.member, let latest = rows.entries[key]?.last,
                    latest.counted > member.readCounted
                else { return nil }
                return UnreadRow(key, counted: latest.counted, readCounted: member.readCounted, read: member.read)
            }
        }
    }

    func conversationCount(of user: UserID, limit: Int) throws(StoreError) -> Int {
        try self.read { min($0.places[user]?.count ?? 0, limit) }
    }

    func conversations(
        of user: UserID, after place: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey] {
        try self.read { rows in
            let older = (rows.places[user] ?? []).filter { key in place.map { key.number < $0.number } ?? true }
            return Array(older.sorted { $0.number > $1.number }.prefix(limit))
        }
    }

    func cursors(of user: UserID, on device: DeviceID) throws(StoreError) -> [ConversationKey: UInt64] {
        try self.read { ($0.cursors[.init(user: user, device: device)] ?? [:]).mapValues(\.delivered) }
    }

    func cursor(of user: UserID, on device: DeviceID, in key: ConversationKey) throws(StoreError) -> CursorRow? {
        try self.read { $0.cursors[.init(user: user, device: device)]?[key] }
    }

    func cursors(of user: UserID, in key: ConversationKey, limit: Int) throws(StoreError) -> [DeviceMark] {
        try self.read { rows in
            let marks = rows.cursors.filter { $0.key.user == user }.compactMap { device, cursors in
                cursors[key].map { DeviceMark(device.device, $0) }
            }
            let latest = marks.sorted { ($1.cursor.time, $0.device.text) < ($0.cursor.time, $1.device.text) }
            return Array(latest.prefix(limit))
        }
    }

    func put(
        _ cursor: CursorRow, of user: UserID, on device: DeviceID, in key: ConversationKey
    ) throws(StoreError) {
        self.rows.cursors[.init(user: user, device: device), default: [:]][key] = cursor
    }

    func removeCursors(of user: UserID) throws(StoreError) {
        self.rows.cursors = self.rows.cursors.filter { $0.key.user != user }
    }

    func delivered(to user: UserID, in key: ConversationKey) throws(StoreError) -> UInt64 {
        try self.read { rows in
            rows.cursors.filter { $0.key.user == user }.compactMap { $0.value[key]?.delivered }.max() ?? 0
        }
    }
}

extension EntryMark {
    init(_ entry: Entry) { self.init(number: entry.number, counted: entry.counted, time: entry.time) }
}
