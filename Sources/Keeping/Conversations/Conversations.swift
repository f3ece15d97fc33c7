internal import Conversing
internal import Vocabulary

/// Finds conversations and begins them. A namespace for what several requests do.
enum Conversations {
    static func record(_ id: ConversationID, _ tables: some Tables) throws(StoreError) -> ConversationRecord? {
        if let known = tables.cache?[id] { return known }
        guard let row = try tables.conversation(id) else { return nil }
        return try self.record(row, tables)
    }

    private static func record(_ row: ConversationRow, _ tables: some Tables) throws(StoreError) -> ConversationRecord {
        let last = try tables.latestEntry(of: row.key)
        let machine = ConversationMachine(
            row.kind, title: row.title, members: try self.members(of: row, tables), last: last?.number ?? 0,
            counted: last?.counted ?? 0, lastTime: last?.time ?? WallTime(milliseconds: 0),
            isDissolved: row.dissolved != nil, slowMode: row.slowMode, settings: tables.settings.conversations)
        let record = ConversationRecord(row.id, row.key, machine)
        tables.cache?.remember(record)
        return record
    }

    private static func members(of row: ConversationRow, _ tables: some Tables) throws(StoreError) -> [Member] {
        var members = try tables.members(of: row.key, after: "", limit: .max).map(\.member)
        guard row.kind == .direct, members.count == 2 else { return members }
        for (place, other) in [(0, 1), (1, 0)] {
            members[place].blocksOther = try tables.isBlocked(members[other].user, by: members[place].user)
        }
        return members
    }

    /// The direct conversation of two people, when there is one.
    static func direct(_ pair: UserPair, _ tables: some Tables) throws(StoreError) -> ConversationRecord? {
        if let id = tables.cache?[pair] { return try self.record(id, tables) }
        guard let key = try tables.direct(pair), let row = try tables.conversation(key) else { return nil }
        tables.cache?.remember(pair, row.id)
        if let known = tables.cache?[row.id] { return known }
        return try self.record(row, tables)
    }
}

// MARK: - Beginning one

extension Conversations {
    /// Its row and its members, without an entry yet.
    static func add(
        _ row: ConversationRow, _ members: [Member], _ tables: some Tables
    ) throws(StoreError) -> ConversationRecord {
        try tables.insert(row)
        for member in members { try tables.insert(member, of: row.key) }
        let machine = ConversationMachine(
            row.kind, title: row.title, members: members, settings: tables.settings.conversations)
        let record = ConversationRecord(row.id, row.key, machine)
        tables.cache?.remember(record)
        return record
    }

    static func addDirect(
        _ pair: UserPair, as id: ConversationID, at now: WallTime, _ tables: some Tables
    ) throws(StoreError) -> ConversationRecord {
        let isAlone = pair.low == pair.high
        let members = ConversationMachine.pair(
            pair, lowBlocksHigh: isAlone ? false : try tables.isBlocked(pair.high, by: pair.low),
            highBlocksLow: isAlone ? false : try tables.isBlocked(pair.low, by: pair.high))
        let row = ConversationRow(try tables.nextConversationKey(), id, .direct, created: now)
        let record = try self.add(row, members, tables)
        try tables.insertDirect(pair, row.key)
        tables.cache?.remember(pair, id)
        return record
    }
}
