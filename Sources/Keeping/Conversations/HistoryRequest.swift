package import Conversing
package import Vocabulary

package struct HistoryRequest: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID
    package let range: EntryRange
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }

    package init(_ conversation: ConversationID, for user: UserID, _ range: EntryRange, limit: Int) {
        self.conversation = conversation
        self.user = user
        self.range = range
        self.limit = limit
    }
}

package struct EntryPage: Sendable {
    package struct Item: Sendable {
        package let conversation: ConversationID
        package let key: ConversationKey
        package let entry: Entry
    }

    /// In the order of their numbers; of a search, the latest first.
    package var items: [Item]
    package var hasMore: Bool

    package init(items: [Item] = [], hasMore: Bool = false) {
        self.items = items
        self.hasMore = hasMore
    }
}

extension HistoryRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<EntryPage> {
        guard let conversation = try tables.conversation(self.conversation),
            let place = try tables.member(self.user, of: conversation.key)
        else { return .failure(.notMember) }
        if self.range == .pinned {
            return .success(try self.pinned(conversation.key, since: place.member.since, tables))
        }
        let bounds = try tables.entryBounds(of: conversation.key)
        guard let bounds, let range = self.range(since: place.member.since, bounds), self.limit > 0 else {
            return .success(EntryPage())
        }
        let key = conversation.key
        let entries = try Pages.entries(of: key, in: range, fromEnd: self.isFromEnd, limit: self.limit, tables)
        let isWhole = UInt64(entries.count) == range.upperBound - range.lowerBound + 1
        let items = entries.map { EntryPage.Item(conversation: self.conversation, key: key, entry: $0) }
        return .success(EntryPage(items: items, hasMore: !isWhole))
    }

    private func pinned(
        _ key: ConversationKey, since: UInt64, _ tables: some Tables
    ) throws(StoreError) -> EntryPage {
        let entries = try tables.pinnedEntries(of: key, after: since, limit: self.limit)
        return EntryPage(items: entries.map { EntryPage.Item(conversation: self.conversation, key: key, entry: $0) })
    }

    private var isFromEnd: Bool { if case .before = self.range { true } else { false } }

    /// What was said too long ago is gone, and what lies before `since` is not theirs to see.
    private func range(since: UInt64, _ bounds: ClosedRange<UInt64>) -> ClosedRange<UInt64>? {
        var (low, high) = (max(since + 1, bounds.lowerBound), bounds.upperBound)
        switch self.range {
        case .before(nil), .pinned: break
        case .before(let number?): high = min(high, max(number, 1) - 1)
        case .after(let number): low = max(low, min(number, bounds.upperBound) + 1)
        }
        return low <= high ? low...high : nil
    }
}

/// Entries with the reactions under them.
enum Pages {
    /// So that an answer stays within what waits for one client.
    static let maximumBytes = 512 << 10

    /// Always in their order. Ends early when they grow larger than `maximumBytes`; there is always one, if any.
    static func entries(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool, limit: Int,
        maximumBytes: Int = Pages.maximumBytes, _ tables: some Tables
    ) throws(StoreError) -> [Entry] {
        var entries = try tables.entries(
            of: key, in: range, fromEnd: fromEnd, limit: limit, maximumBytes: maximumBytes)
        guard let first = entries.first?.number, let last = entries.last?.number else { return [] }
        var (count, bytes) = (0, 0)
        var reacted = try self.reacted(from: first, to: last, of: key, tables)
        while count < entries.count, count == 0 || bytes < maximumBytes {
            let number = entries[count].number
            if number == reacted {
                entries[count].reactions = try Reactions.tallies(under: EntryKey(key, number), tables)
                let next = fromEnd ? number - 1 : number + 1
                reacted = number == last ? nil : try self.reacted(from: next, to: last, of: key, tables)
            }
            bytes += entries[count].size
            count += 1
        }
        entries.removeLast(entries.count - count)
        if fromEnd { entries.reverse() }
        return entries
    }

    /// The next number with reactions, on the way from one number to another.
    private static func reacted(
        from start: UInt64, to end: UInt64, of key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> UInt64? {
        try tables.reactedEntry(of: key, in: min(start, end)...max(start, end), fromEnd: end < start)
    }
}
