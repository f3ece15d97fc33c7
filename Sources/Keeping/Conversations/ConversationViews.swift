package import Conversing
package import Vocabulary

/// How a user sees a conversation.
package struct ConversationView: Hashable, Sendable {
    package let id: ConversationID
    package let key: ConversationKey
    package let kind: ConversationKind
    package let title: DisplayName?
    package let subject: String?
    package let isDissolved: Bool
    package let role: Role
    package let isMuted: Bool
    package let isArchived: Bool
    package let since: UInt64
    package let read: UInt64
    package let unread: UInt64
    package let members: Int
    /// How long what is said stays, if its members said so.
    package let retention: Duration?
    package let slowMode: Duration?
    /// The other one of a direct conversation, and how far they got.
    package var peer: Peer?
    package let latest: Entry

    package struct Peer: Hashable, Sendable {
        package let user: UserID
        package let name: DisplayName?
        package let avatar: AvatarLink?
        package let isDeleted: Bool
        package let delivered: UInt64
        package let read: UInt64
    }

    /// About how many bytes it takes to tell it.
    package var size: Int {
        let texts = [self.title?.text, self.subject, self.peer?.name?.text, self.peer?.avatar?.text]
        return 600 + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } + self.latest.size
    }

    package var place: ConversationPlace { ConversationPlace(time: self.latest.time, key: self.key) }
}

/// One conversation of a user.
package struct ViewConversation: StoreRequest {
    package let conversation: ConversationID
    package let user: UserID

    package static let access = StoreAccess.readsCommitted
    package var asker: UserID? { self.user }

    package init(_ conversation: ConversationID, for user: UserID) {
        self.conversation = conversation
        self.user = user
    }

    package func perform(on tables: some Tables) throws(StoreError) -> Verdict<ConversationView> {
        guard let membership = try Views.membership(self.user, self.conversation, tables) else {
            return .failure(.notMember)
        }
        return .success(try Views.view(membership, tables))
    }
}

/// Those of a user in which there is something to see, the latest first, from the one after `place`.
package struct ListConversations: StoreRequest {
    package let user: UserID
    package let place: ConversationPlace?
    package let limit: Int

    package static let access = StoreAccess.readsCommitted
    package static let isHeavy = true
    package var asker: UserID? { self.user }
    /// Each view comes with its latest entry.
    private static let maximumBytes = 1 << 20

    package init(of user: UserID, before place: ConversationPlace? = nil, limit: Int) {
        self.user = user
        self.place = place
        self.limit = max(limit, 0)
    }

    package func perform(on tables: some Tables) throws(StoreError) -> ConversationList {
        let marks = try tables.membershipMarks(of: self.user)
        var (list, bytes) = (ConversationList(badge: try Unread.badge(of: self.user, from: marks, tables)), 0)
        let visible = self.visible(among: marks)
        for membership in try tables.memberships(of: self.user, in: visible.prefix(self.limit).map(\.key)) {
            guard bytes < Self.maximumBytes else { break }
            let view = try Views.view(membership, tables)
            bytes += view.size
            list.views.append(view)
        }
        list.hasMore = list.views.count < visible.count
        return list
    }

    /// Those that were cleared are passed by.
    private func visible(among marks: [MembershipMark]) -> [MembershipMark] {
        let behind = marks.filter { mark in
            mark.latest.number > mark.since && self.place.map { mark.place < $0 } ?? true
        }
        return behind.sorted { $0.place > $1.place }
    }
}

/// Some of a user's conversations, and the sum of what is unread in all of them.
package struct ConversationList: Hashable, Sendable {
    package var views: [ConversationView]
    package var badge: UInt64
    package var hasMore = false

    package init(views: [ConversationView] = [], badge: UInt64 = 0) {
        self.views = views
        self.badge = badge
    }
}

/// A place in a user's list of conversations.
package struct ConversationPlace: Hashable, Comparable, Sendable {
    package let time: WallTime
    package let key: ConversationKey

    package init(time: WallTime, key: ConversationKey) {
        self.time = time
        self.key = key
    }

    package static func < (one: ConversationPlace, other: ConversationPlace) -> Bool {
        (one.time, one.key.number) < (other.time, other.key.number)
    }
}

enum Views {
    /// Nil for a user who is not in the conversation, and while there is nothing in it.
    static func membership(
        _ user: UserID, _ id: ConversationID, _ tables: some Tables
    ) throws(StoreError) -> Membership? {
        guard let conversation = try tables.conversation(id),
            let place = try tables.member(user, of: conversation.key),
            let latest = try tables.latestEntry(of: conversation.key)
        else { return nil }
        return Membership(conversation, place, latest: latest)
    }

    static func view(_ membership: Membership, _ tables: some Tables) throws(StoreError) -> ConversationView {
        let (conversation, member, key) = (membership.conversation, membership.member, membership.key)
        guard let latest = try tables.entry(EntryKey(key, membership.latest.number)) else {
            throw StoreError(.damaged, database: "the store", detail: "a conversation without its latest entry")
        }
        return ConversationView(
            id: conversation.id, key: key, kind: conversation.kind, title: conversation.title,
            subject: conversation.subject, isDissolved: conversation.dissolved != nil, role: member.role,
            isMuted: membership.place.isMuted, isArchived: membership.isArchived, since: member.since,
            read: member.read, unread: try Unread.count(in: membership, tables),
            members: try tables.memberCount(of: key, limit: .max), retention: conversation.retention,
            slowMode: conversation.slowMode,
            peer: conversation.kind == .direct ? try self.peer(of: member.user, in: key, tables) : nil, latest: latest)
    }

    private static func peer(
        of user: UserID, in key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> ConversationView.Peer? {
        let members = try tables.members(of: key, after: "", limit: 2)
        guard let other = members.map(\.member).first(where: { $0.user != user }) else { return nil }
        let profile = try tables.user(other.user)?.profile
        return ConversationView.Peer(
            user: other.user, name: profile?.shownName, avatar: profile?.avatar, isDeleted: profile?.isDeleted == true,
            delivered: try self.delivered(to: other, in: key, tables), read: other.read)
    }

    /// What was read was delivered.
    static func delivered(
        to member: Member, in key: ConversationKey, _ tables: some Tables
    ) throws(StoreError) -> UInt64 {
        max(member.read, try tables.delivered(to: member.user, in: key))
    }
}
