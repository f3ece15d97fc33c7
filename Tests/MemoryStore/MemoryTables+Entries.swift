import Conversing
import Keeping
import Vocabulary

extension MemoryRows {
    fileprivate func index(of key: EntryKey) -> Int? {
        guard let entries = self.entries[key.conversation], let first = entries.first?.number, key.number >= first
        else { return nil }
        let index = Int(clamping: key.number - first)
        return index < entries.count ? index : nil
    }

    fileprivate func entry(_ key: EntryKey) -> Entry? {
        self.index(of: key).flatMap { self.entries[key.conversation]?[$0] }
    }
}

extension MemoryTables {
    func entry(_ key: EntryKey) throws(StoreError) -> Entry? { try self.read { $0.entry(key) } }

    func entries(_ keys: [EntryKey]) throws(StoreError) -> [EntryKey: Entry] {
        try self.read { rows in keys.reduce(into: [:]) { $0[$1] = rows.entry($1) } }
    }

    func entry(_ client: MessageID, of sender: UserID) throws(StoreError) -> (key: EntryKey, entry: Entry)? {
        try self.read { rows in
            guard let key = rows.names[.init(sender: sender, client: client)], let entry = rows.entry(key) else {
                return nil
            }
            return (key, entry)
        }
    }

    func entryBounds(of key: ConversationKey) throws(StoreError) -> ClosedRange<UInt64>? {
        try self.read { rows in
            guard let entries = rows.entries[key], let first = entries.first, let last = entries.last else {
                return nil
            }
            return first.number...last.number
        }
    }

    func latestEntry(of key: ConversationKey) throws(StoreError) -> EntryMark? {
        try self.read { $0.entries[key]?.last.map { EntryMark($0) } }
    }

    func entries(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool, limit: Int, maximumBytes: Int
    ) throws(StoreError) -> [Entry] {
        try self.read { rows in
            let inside = (rows.entries[key] ?? []).filter { range.contains($0.number) }
            var (found, bytes) = ([Entry](), 0)
            for entry in fromEnd ? inside.reversed() : inside {
                guard found.count < limit, found.isEmpty || bytes < maximumBytes else { break }
                bytes += entry.size
                found.append(entry)
            }
            return found
        }
    }

    func bodies(of key: ConversationKey, from number: UInt64, limit: Int) throws(StoreError) -> [BodyRow] {
        try self.read { rows in
            let later = (rows.entries[key] ?? []).filter { $0.number >= number }
            return later.prefix(limit).map { BodyRow($0.number, $0.sort, $0.body) }
        }
    }

    func entries(of key: ConversationKey, before time: WallTime, limit: Int) throws(StoreError) -> [EntryMark] {
        try self.read { ($0.entries[key] ?? []).prefix { $0.time < time }.prefix(limit).map { EntryMark($0) } }
    }

    func isSender(_ user: UserID, in key: ConversationKey, amongLatest limit: Int) throws(StoreError) -> Bool {
        try self.read { ($0.entries[key] ?? []).suffix(limit).contains { $0.sender == user } }
    }

    func recalledCount(of key: ConversationKey, after number: UInt64) throws(StoreError) -> UInt64 {
        try self.read { rows in
            let entries = rows.entries[key] ?? []
            return UInt64(
                entries.count { entry in
                    let before = entries.first { $0.number == entry.number - 1 }
                    return entry.isRecalled && entry.number > number && entry.counted > before?.counted ?? 0
                })
        }
    }

    func pinnedCount(of key: ConversationKey) throws(StoreError) -> Int {
        try self.read { ($0.entries[key] ?? []).count { $0.pinned != nil } }
    }

    func pinnedEntries(of key: ConversationKey, after number: UInt64, limit: Int) throws(StoreError) -> [Entry] {
        try self.read { rows in
            let pinned = (rows.entries[key] ?? []).filter { $0.pinned != nil && $0.number > number }
            return Array(pinned.sorted { ($0.pinned ?? 0) > ($1.pinned ?? 0) }.prefix(limit))
        }
    }

    func insert(_ entry: Entry, in key: ConversationKey) throws(StoreError) -> Bool {
        if let client = entry.client {
            let name = MemoryRows.Name(sender: entry.sender, client: client)
            guard try self.read({ $0.names[name] == nil }) else { return false }
            self.rows.names[name] = EntryKey(key, entry.number)
        }
        let last = self.rows.entries[key]?.last?.number
        try self.check(last.map { $0 + 1 == entry.number } ?? true)
        self.rows.entries[key, default: []].append(entry)
        return true
    }

    func update(_ key: EntryKey, _ change: EntryChange) throws(StoreError) {
        guard let index = self.rows.index(of: key) else { return }
        switch change {
        case .edited(let body, let time):
            self.rows.entries[key.conversation]?[index].body = body.json
            self.rows.entries[key.conversation]?[index].edited = time
        case .recalled:
            self.rows.entries[key.conversation]?[index].body = nil
            self.rows.entries[key.conversation]?[index].isRecalled = true
        case .pinned(let number): self.rows.entries[key.conversation]?[index].pinned = number
        }
    }

    func clearEdits(of key: EntryKey) throws(StoreError) {
        let entries = self.rows.entries[key.conversation] ?? []
        for (index, entry) in entries.enumerated() where entry.sort == .edited && entry.target == key.number {
            self.rows.entries[key.conversation]?[index].body = nil
        }
    }

    func removeEntries(of key: ConversationKey, through number: UInt64) throws(StoreError) {
        for entry in self.rows.entries[key] ?? [] where entry.number <= number {
            guard let client = entry.client else { continue }
            self.rows.names[.init(sender: entry.sender, client: client)] = nil
        }
        self.rows.entries[key]?.removeAll { $0.number <= number }
    }
}

// MARK: - Reactions and words

extension MemoryTables {
    func reactedEntry(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool
    ) throws(StoreError) -> UInt64? {
        try self.read { rows in
            let numbers = rows.reactions.filter { reacted in
                reacted.key.conversation == key && range.contains(reacted.key.number) && !reacted.value.isEmpty
            }.map(\.key.number)
            return fromEnd ? numbers.max() : numbers.min()
        }
    }

    func reactions(under key: EntryKey, limit: Int) throws(StoreError) -> [String] {
        try self.read {
            Array(($0.reactions[key] ?? [:]).keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(limit))
        }
    }

    func users(reacting reaction: String, to key: EntryKey, limit: Int) throws(StoreError) -> [UserID] {
        try self.read { Array(($0.reactions[key]?[reaction] ?? []).sorted { $0.text < $1.text }.prefix(limit)) }
    }

    func hasReaction(_ reaction: String, of user: UserID, under key: EntryKey) throws(StoreError) -> Bool {
        try self.read { $0.reactions[key]?[reaction]?.contains(user) ?? false }
    }

    func putReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        self.rows.reactions[key, default: [:]][reaction.text, default: []].insert(user)
    }

    func removeReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError) {
        self.rows.reactions[key]?[reaction.text]?.remove(user)
        if self.rows.reactions[key]?[reaction.text]?.isEmpty == true { self.rows.reactions[key]?[reaction.text] = nil }
    }

    func removeReactions(under key: EntryKey) throws(StoreError) { self.rows.reactions[key] = nil }

    func index(_ words: String, as key: EntryKey) throws(StoreError) {
        self.rows.words[key] = words.split(separator: " ")
    }

    func unindex(_ words: String, of key: EntryKey) throws(StoreError) {
        try self.check(self.rows.words[key] == words.split(separator: " "))
        self.rows.words[key] = nil
    }

    func search(
        _ phrases: [SearchPhrase], in ranges: [SearchRange], limit: Int
    ) throws(StoreError) -> [EntryKey] {
        try self.read { rows in
            let found = ranges.flatMap { range in
                rows.words
                    .filter { words in
                        words.key.conversation == range.key && range.numbers.contains(words.key.number)
                            && phrases.allSatisfy { $0.isIn(words.value) }
                    }
                    .map(\.key).sorted { $0.number > $1.number }
            }
            return Array(found.prefix(limit))
        }
    }
}

extension SearchPhrase {
    fileprivate func isIn(_ words: [Substring]) -> Bool {
        switch self {
        case .prefix(let prefix): words.contains { $0.utf8.starts(with: prefix.utf8) }
        case .sequence(let sequence):
            words.indices.contains { words[$0...].prefix(sequence.count).elementsEqual(sequence) { $0 == $1 } }
        }
    }
}
