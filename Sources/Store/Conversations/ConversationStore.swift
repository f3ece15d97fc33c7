package import Conversing
package import Vocabulary

/// Where conversations are kept. Every call comes back at once; its answer comes later, on a thread of the store's, and
/// says only what is safe on the disk. Answers come in the order in which things happened.
///
/// The store gives every entry its number, at the moment it writes it, so there is one order and it has no gap.
package protocol ConversationStore: Sendable {
    typealias Answer<Value> = @Sendable (Result<Value, StoreError>) -> Void
    /// What was asked for, or why it is not granted.
    typealias Verdict<Value> = Result<Value, ConversationRefusal>

    /// The same request said twice happens once: the second answer is the first one's, and says so.
    func change(_ request: ChangeRequest, _ answer: @escaping Answer<Verdict<Happening>>)
    func create(_ request: CreationRequest, _ answer: @escaping Answer<Verdict<Happening>>)
    /// How far a device got.
    func mark(_ request: MarkRequest, _ answer: @escaping Answer<Verdict<Marked>>)
    /// What a device has missed, in all conversations of its user.
    func sync(_ request: SyncRequest, _ answer: @escaping Answer<Synced>)

    func history(_ request: HistoryRequest, _ answer: @escaping Answer<Verdict<EntryPage>>)
    /// Those of a user in which there is something to see, the latest first.
    func conversations(
        of user: UserID, before: ConversationPlace?, limit: Int, _ answer: @escaping Answer<ConversationList>)
    func conversation(
        _ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<ConversationView>>)
    func members(_ request: MemberRequest, _ answer: @escaping Answer<Verdict<[MemberView]>>)
    func search(_ request: SearchRequest, _ answer: @escaping Answer<Verdict<EntryPage>>)

    /// Takes the past out of a user's sight, on all devices; the others keep it.
    func clear(_ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<UInt64>>)
    /// A conversation that is muted is delivered without a sound.
    func setMuted(
        _ isMuted: Bool, _ id: ConversationID, of user: UserID, _ answer: @escaping Answer<Verdict<Void>>)
    /// How long what is said stays: only who leads a conversation says so, in a direct one both do. Nil takes it back.
    func setRetention(
        _ retention: Duration?, _ id: ConversationID, by user: UserID, _ answer: @escaping Answer<Verdict<Void>>)
    func setBlocked(
        _ isBlocked: Bool, _ other: UserID, by user: UserID, _ answer: @escaping Answer<Verdict<Void>>)
    func blocked(by user: UserID, _ answer: @escaping Answer<[UserID]>)
}

/// Which conversation is meant.
package enum ConversationAddress: Hashable, Sendable {
    case id(ConversationID)
    /// The one with this user. When there is none yet it gets this name.
    case user(UserID, new: ConversationID)
}

/// Somebody wants something of a conversation.
package struct ChangeRequest: Sendable {
    package let address: ConversationAddress
    package var change: ConversationChange
    package let actor: UserID
    /// The actor's own name for it. What has one happens once, however often it is asked for.
    package var client: MessageID?
    /// What to say again; the draft's own words do not count then.
    package var original: (conversation: ConversationID, number: UInt64)?
    /// What of the original's body stays behind.
    package var keptFields = KeptFields()
    package let now: WallTime

    package init(
        _ address: ConversationAddress, _ change: ConversationChange, by actor: UserID, as client: MessageID? = nil,
        at now: WallTime
    ) {
        self.address = address
        self.change = change
        self.actor = actor
        self.client = client
        self.now = now
    }
}

package struct CreationRequest: Sendable {
    package let id: ConversationID
    package let kind: ConversationKind
    package var title: DisplayName?
    package var subject: String?
    package let creator: UserID
    package var members: [UserID]
    package var client: MessageID?
    package let now: WallTime

    package init(
        _ id: ConversationID, _ kind: ConversationKind, title: DisplayName? = nil, by creator: UserID,
        with members: [UserID] = [], as client: MessageID? = nil, at now: WallTime
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.creator = creator
        self.members = members
        self.client = client
        self.now = now
    }
}

/// Something was written into a conversation.
package struct Happening: Hashable, Sendable {
    package let conversation: ConversationID
    package let key: ConversationKey
    package let entry: Entry
    /// It was written before, and everybody was told then.
    package var isRepeated = false
    package var came: [UserID] = []
    package var went: UserID?

    package init(_ conversation: ConversationID, _ key: ConversationKey, _ entry: Entry) {
        self.conversation = conversation
        self.key = key
        self.entry = entry
    }
}

/// A device got something, or somebody read it there.
package struct MarkRequest: Sendable {
    package let conversation: ConversationID
    package let user: UserID
    package let device: DeviceID
    package var delivered: UInt64?
    package var read: UInt64?
    package let now: WallTime

    package init(
        _ conversation: ConversationID, of user: UserID, on device: DeviceID, delivered: UInt64? = nil,
        read: UInt64? = nil, at now: WallTime
    ) {
        self.conversation = conversation
        self.user = user
        self.device = device
        self.delivered = delivered
        self.read = read
        self.now = now
    }
}

/// Where a user stands in a conversation, after a mark was set.
package struct Marked: Hashable, Sendable {
    package let key: ConversationKey
    package let kind: ConversationKind
    package let memberCount: Int
    package let delivered: UInt64
    package let read: UInt64
    package let unread: UInt64
    /// The sum of what is unread in all of the user's conversations.
    package let badge: UInt64
    /// False when nothing is new about it.
    package let isNews: Bool
}

package struct SyncRequest: Sendable {
    package let user: UserID
    package let device: DeviceID
    /// What the device says it has; of other conversations the store knows how far it got.
    package var positions: [ConversationID: UInt64]
    package var limit: Int
    /// Of a conversation whose past is longer, only so many of the newest; also of one without a position.
    package var newest: Int?
    /// Only those of one kind, so that what is said elsewhere takes no room; `ids` are of all.
    package var kind: ConversationKind?

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
    /// All the user is in.
    package var ids: [ConversationID] = []
    /// The sum of what is unread in all of them.
    package var badge: UInt64 = 0

    package init() {}
}

package struct HistoryRequest: Sendable {
    package enum Direction: Hashable, Sendable {
        /// The latest ones before a number, or of all.
        case before(UInt64?)
        case after(UInt64)
    }

    package let conversation: ConversationID
    package let user: UserID
    package let direction: Direction
    package let limit: Int

    package init(_ conversation: ConversationID, for user: UserID, _ direction: Direction, limit: Int) {
        self.conversation = conversation
        self.user = user
        self.direction = direction
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
    package let since: UInt64
    package let read: UInt64
    package let unread: UInt64
    package let members: Int
    /// How long what is said stays, if its members said so.
    package let retention: Duration?
    /// The other one of a direct conversation, and how far they got.
    package var peer: Peer?
    package let latest: Entry

    package struct Peer: Hashable, Sendable {
        package let user: UserID
        package let name: DisplayName?
        package let avatar: AvatarLink?
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

/// A place in somebody's list of conversations.
package struct ConversationPlace: Hashable, Sendable {
    package let time: WallTime
    package let key: ConversationKey

    package init(time: WallTime, key: ConversationKey) {
        self.time = time
        self.key = key
    }
}

package struct MemberRequest: Sendable {
    package let conversation: ConversationID
    package let user: UserID
    package var after: String
    package let limit: Int

    package init(_ conversation: ConversationID, for user: UserID, after: String = "", limit: Int) {
        self.conversation = conversation
        self.user = user
        self.after = after
        self.limit = limit
    }
}

package struct MemberView: Hashable, Sendable {
    package let user: UserID
    /// Nil for somebody who is called nothing here.
    package let name: DisplayName?
    package let avatar: AvatarLink?
    package let role: Role
    package let delivered: UInt64
    package let read: UInt64
    package let silencedUntil: WallTime?
}

package struct SearchRequest: Sendable {
    package let user: UserID
    /// All of the user's when nil.
    package let conversation: ConversationID?
    package let text: String
    package let limit: Int

    package init(_ text: String, for user: UserID, in conversation: ConversationID? = nil, limit: Int) {
        self.text = text
        self.user = user
        self.conversation = conversation
        self.limit = limit
    }
}
