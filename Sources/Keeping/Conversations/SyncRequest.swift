package import Conversing
package import Vocabulary

/// What a device has missed, in all conversations of its user.
package struct SyncRequest: StoreRequest {
    package let user: UserID
    package let device: DeviceID
    /// What the device says it has; of other conversations the store knows how far it got.
    package var positions: [ConversationID: UInt64]
    package var limit: Int
    /// Of a conversation whose past is longer, only so many of the newest; also of one without a position.
    package var newest: Int?
    /// Only those of one kind, so that what is said elsewhere takes no room; `ids` are of all.
    package var kind: ConversationKind?

    // In its turn among the writers: who listens from the answer on misses nothing.
    package static let access = StoreAccess.reads
    package static let isHeavy = true
    package var asker: UserID? { self.user }
    private static let maximumPieces = 100
    private static let maximumOfOne = 200
    /// Of the views, each with its latest entry, and the entries together.
    private static let maximumBytes = 1 << 20
    /// What a new device sees of a conversation that was read to the end.
    private static let recent: UInt64 = 20

    package init(_ user: UserID, on device: DeviceID, from positions: [ConversationID: UInt64] = [:], limit: Int = 500)
    {
        self.user = user
        self.device = device
        self.positions = positions
        self.limit = limit
    }
}

package struct Synced: Sendable {
    package struct Piece: Sendable {
        package let view: ConversationView
        package let entries: [Entry]
        /// How many more follow the last of `entries`.
        package let remaining: UInt64
    }

    /// With something new in them, the latest first.
    package var pieces: [Piece] = []
    /// There are more conversations with something new than fit in.
    package var hasMore = false
    /// All the user is in, as they were at the moment of the answer.
    package var heads: [ConversationHead] = []
    /// The sum of what is unread in all of them.
    package var badge: UInt64 = 0

    package init() {}

    package var ids: [ConversationID] { self.heads.map(\.id) }
}

extension SyncRequest {
    package func perform(on tables: some Tables) throws(StoreError) -> Synced {
        let marks = try tables.membershipMarks(of: self.user)
        var synced = Synced()
        synced.heads = marks.map { ConversationHead($0.id, $0.latest.number) }
        synced.badge = try Unread.badge(of: self.user, from: marks, tables)
        let news = try self.news(among: marks, tables)
        synced.hasMore = news.count > Self.maximumPieces
        try self.add(news.prefix(Self.maximumPieces), to: &synced, tables)
        return synced
    }

    /// A conversation in which something is new for the device: behind `start`.
    private struct News {
        let mark: MembershipMark
        let start: UInt64
    }

    /// The latest first.
    private func news(among marks: [MembershipMark], _ tables: some Tables) throws(StoreError) -> [News] {
        let cursors = try tables.cursors(of: self.user, on: self.device)
        let news = marks.compactMap { mark -> News? in
            guard self.kind == nil || self.kind == mark.kind else { return nil }
            let start = self.start(in: mark, cursors[mark.key])
            return start < mark.latest.number ? News(mark: mark, start: start) : nil
        }
        return news.sorted { $0.mark.place > $1.mark.place }
    }

    private func add(_ news: ArraySlice<News>, to synced: inout Synced, _ tables: some Tables) throws(StoreError) {
        let starts = Dictionary(news.map { ($0.mark.key, $0.start) }) { first, _ in first }
        var (room, bytes) = (self.limit, 0)
        for membership in try tables.memberships(of: self.user, in: news.map(\.mark.key)) {
            guard let start = starts[membership.key] else { continue }
            guard bytes < Self.maximumBytes else {
                synced.hasMore = true
                break
            }
            let view = try Views.view(membership, tables)
            bytes += view.size
            let entries = try self.entries(
                behind: start, in: membership, limit: min(room, Self.maximumOfOne),
                maximumBytes: Self.maximumBytes - bytes, tables)
            room -= entries.count
            bytes += entries.reduce(0) { $0 + $1.size }
            let remaining = membership.latest.number - (entries.last?.number ?? start)
            synced.pieces.append(Synced.Piece(view: view, entries: entries, remaining: remaining))
        }
    }

    private func entries(
        behind start: UInt64, in membership: Membership, limit: Int, maximumBytes: Int, _ tables: some Tables
    ) throws(StoreError) -> [Entry] {
        guard limit > 0 else { return [] }
        return try Pages.entries(
            of: membership.key, in: start + 1...membership.latest.number, fromEnd: false, limit: limit,
            maximumBytes: maximumBytes, tables)
    }

    private func start(in mark: MembershipMark, _ cursor: UInt64?) -> UInt64 {
        let latest = mark.latest
        let position = self.positions[mark.id]
        if let newest = self.newest {
            let start = latest.number - min(latest.number, UInt64(clamping: newest))
            return min(max(position ?? 0, start, mark.since), latest.number)
        }
        let hasUnread = latest.counted > mark.readCounted
        let fresh = hasUnread ? mark.read : latest.number - min(latest.number, Self.recent)
        return min(max(position ?? cursor ?? fresh, mark.since), latest.number)
    }
}
