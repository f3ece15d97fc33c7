internal import Conversing
package import Vocabulary

/// How long what is said stays. Nil takes back what was said about it.
package struct SetRetention: StoreRequest {
    package let retention: Duration?
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.writes
    package var asker: UserID? { self.user }

    package init(_ retention: Duration?, _ conversation: ConversationID, by user: UserID) {
        self.retention = retention
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<Void> {
        guard let record = try Conversations.record(self.conversation, tables) else { return .failure(.notMember) }
        do throws(ConversationRefusal) {
            try record.machine.checkRetention(by: self.user)
        } catch {
            return .failure(error)
        }
        try tables.update(record.key, .retention(self.retention))
        return .success(())
    }
}

/// Throws out what was said too long ago, a portion of the conversations at a time.
package struct EntrySweep: Hashable, StoreRequest {
    /// Where the last portion ended.
    package var start: Int64 = 0
    package let now: WallTime
    /// Of conversations of which nothing is said; nil for ever.
    package let usual: Duration?
    /// At most so many entries go at once.
    package var limit = 1000

    package static let access = StoreAccess.writes
    private static let conversationsAtOnce = 200

    package init(at now: WallTime, usual: Duration?) {
        self.now = now
        self.usual = usual
    }

    package func perform(on tables: some Tables) throws(StoreError) -> SweptEntries {
        var swept = SweptEntries()
        let conversations = try tables.conversations(
            after: ConversationKey(self.start), withRetention: self.usual == nil, limit: Self.conversationsAtOnce)
        for conversation in conversations {
            let left = self.limit - swept.count
            swept.count += try self.sweep(conversation, limit: left, tables)
            if swept.count >= self.limit {
                // There may be more in this one.
                swept.next = conversation.key.number - 1
                break
            }
        }
        if swept.next == nil, conversations.count == Self.conversationsAtOnce {
            swept.next = conversations.last?.key.number
        }
        if swept.count > 0 { tables.cache?.forget() }
        return swept
    }

    /// The oldest go first, and the latest entry stays: the conversation's numbers and times go on from it.
    private func sweep(
        _ conversation: ConversationRow, limit: Int, _ tables: some Tables
    ) throws(StoreError) -> Int {
        guard let stay = [conversation.retention, self.usual].compactMap(\.self).min() else { return 0 }
        let key = conversation.key
        var old = try tables.entries(of: key, before: self.now + (.zero - stay), limit: limit)[...]
        if let latest = try tables.latestEntry(of: key), latest.number == old.last?.number { old = old.dropLast() }
        guard let last = old.last else { return 0 }
        try Writing.remove(old, of: key, tables)
        // What is gone cannot be unread, and is not waited for.
        try tables.advanceMembers(of: key, to: last)
        return old.count
    }
}

package struct SweptEntries: Hashable, Sendable {
    package var count = 0
    /// Where to go on; nil at the end.
    package var next: Int64?

    package init() {}
}
