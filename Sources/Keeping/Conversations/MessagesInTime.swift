package import Conversing
package import Vocabulary

/// What was said in a span of time in all conversations, a portion at a time.
package struct MessagesInTime: StoreRequest {
    /// Where a portion begins: in the first conversation behind `after`, from `number` on.
    package struct Place: Hashable, Sendable {
        package var after: Int64 = 0
        package var number: UInt64 = 0

        package init() {}
    }

    package struct Message: Sendable {
        package let conversation: ConversationRow
        /// Of a direct conversation, both.
        package let members: [UserID]
        package let entry: Entry

        package init(conversation: ConversationRow, members: [UserID], entry: Entry) {
            self.conversation = conversation
            self.members = members
            self.entry = entry
        }
    }

    package struct Portion: Sendable {
        package var messages: [Message] = []
        /// Nil at the end.
        package var next: Place?
    }

    package let place: Place
    package let span: Range<WallTime>

    package static let access = StoreAccess.readsCommitted
    private static let conversationsAtOnce = 50
    private static let messagesAtOnce = 200

    package init(from place: Place, in span: Range<WallTime>) {
        self.place = place
        self.span = span
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Portion {
        var portion = Portion()
        let rows = try tables.conversations(
            after: ConversationKey(self.place.after), withRetention: false, limit: Self.conversationsAtOnce)
        for row in rows {
            let first = row.key == rows.first?.key ? self.place.number : 0
            guard let last = try self.read(row, from: first, &portion, tables) else { continue }
            portion.next = Place()
            portion.next?.after = row.key.number - 1
            portion.next?.number = last + 1
            return portion
        }
        if rows.count == Self.conversationsAtOnce, let last = rows.last {
            portion.next = Place()
            portion.next?.after = last.key.number
        }
        return portion
    }

    /// The number of the last one that was read, where there is more.
    private func read(
        _ row: ConversationRow, from number: UInt64, _ portion: inout Portion, _ tables: some Tables
    ) throws(StoreError) -> UInt64? {
        guard let latest = try tables.latestEntry(of: row.key), latest.time >= self.span.lowerBound,
            let bounds = try tables.entryBounds(of: row.key)
        else { return nil }
        let first = max(number, try self.first(of: row.key, bounds, tables))
        guard first <= bounds.upperBound else { return nil }
        let entries = try tables.entries(
            of: row.key, in: first...bounds.upperBound, fromEnd: false, limit: Self.messagesAtOnce,
            maximumBytes: Pages.maximumBytes)
        let members = row.kind == .direct ? try tables.members(of: row.key, after: "", limit: 2).map(\.member.user) : []
        for entry in entries {
            guard entry.time < self.span.upperBound else { return nil }
            guard entry.sort == .message, !entry.isRecalled, entry.body != nil else { continue }
            portion.messages.append(Message(conversation: row, members: members, entry: entry))
        }
        guard let last = entries.last?.number, last < bounds.upperBound else { return nil }
        return last
    }

    /// Times of a conversation never run backwards.
    private func first(
        of key: ConversationKey, _ bounds: ClosedRange<UInt64>, _ tables: some Tables
    ) throws(StoreError) -> UInt64 {
        var (low, high) = (bounds.lowerBound, bounds.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            let isEarlier = try tables.entry(EntryKey(key, middle)).map { $0.time < self.span.lowerBound } ?? true
            if isEarlier { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
