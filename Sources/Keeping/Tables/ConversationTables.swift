package import Conversing
package import Vocabulary

package protocol ConversationTable: AnyObject {
    func conversation(_ id: ConversationID) throws(StoreError) -> ConversationRow?
    func conversation(_ key: ConversationKey) throws(StoreError) -> ConversationRow?
    /// Those that are there, asked for at once.
    func conversations(_ keys: [ConversationKey]) throws(StoreError) -> [ConversationKey: ConversationRow]
    /// Those of them that have an entry.
    func heads(of ids: [ConversationID]) throws(StoreError) -> [ConversationHead]
    /// Whether one is bound to it.
    func isSubject(_ subject: String) throws(StoreError) -> Bool
    func direct(_ pair: UserPair) throws(StoreError) -> ConversationKey?
    /// In their order; `withRetention`: only those that say themselves how long messages stay.
    func conversations(
        after key: ConversationKey, withRetention: Bool, limit: Int
    ) throws(StoreError) -> [ConversationRow]
    /// A key that no conversation has had. It is given out for the row that is inserted next.
    func nextConversationKey() throws(StoreError) -> ConversationKey
    func insert(_ conversation: ConversationRow) throws(StoreError)
    func insertDirect(_ pair: UserPair, _ key: ConversationKey) throws(StoreError)
    func update(_ key: ConversationKey, _ change: ConversationRow.Change) throws(StoreError)
}

package struct ConversationRow: Hashable, Sendable {
    package let key: ConversationKey
    package let id: ConversationID
    package let kind: ConversationKind
    package var title: DisplayName?
    /// What it is bound to outside, say an order.
    package var subject: String?
    package let created: WallTime
    package var dissolved: WallTime?
    /// Entries up to this number can be searched.
    package var indexed: UInt64 = 0
    /// How long messages stay, when its members said so.
    package var retention: Duration?
    /// How long members wait between two messages.
    package var slowMode: Duration?

    package init(_ key: ConversationKey, _ id: ConversationID, _ kind: ConversationKind, created: WallTime) {
        self.key = key
        self.id = id
        self.kind = kind
        self.created = created
    }

    package enum Change: Hashable, Sendable {
        case title(DisplayName)
        case dissolved(WallTime)
        case indexed(UInt64)
        case retention(Duration?)
        case slowMode(Duration?)
    }
}

package protocol MemberTable: AnyObject {
    func member(_ user: UserID, of key: ConversationKey) throws(StoreError) -> MemberRow?
    /// In the order of their ids.
    func members(of key: ConversationKey, after user: String, limit: Int) throws(StoreError) -> [MemberRow]
    /// Stops counting at `limit`.
    func memberCount(of key: ConversationKey, limit: Int) throws(StoreError) -> Int
    func insert(_ member: Member, of key: ConversationKey) throws(StoreError)
    func update(_ member: Member, of key: ConversationKey) throws(StoreError)
    func setMuted(_ isMuted: Bool, _ user: UserID, of key: ConversationKey) throws(StoreError)
    /// `counted`: the messages that were there by then; nil to take it out of the archive.
    func setArchived(_ counted: UInt64?, _ user: UserID, of key: ConversationKey) throws(StoreError)
    func removeMember(_ user: UserID, of key: ConversationKey) throws(StoreError)
    /// What stayed of who went; nil when nothing did.
    func formerMember(_ user: UserID, of key: ConversationKey) throws(StoreError) -> FormerMember?
    /// In the place of what is there.
    func put(_ former: FormerMember, _ user: UserID, of key: ConversationKey) throws(StoreError)
    func removeFormerMember(_ user: UserID, of key: ConversationKey) throws(StoreError)
    /// From now on every member has seen and read at least `entry`.
    func advanceMembers(of key: ConversationKey, to entry: EntryMark) throws(StoreError)

    /// Those of these in which the user is and that have an entry, in their order.
    func memberships(of user: UserID, in keys: [ConversationKey]) throws(StoreError) -> [Membership]
    /// All conversations of a user that have an entry, in the order of their keys.
    func membershipMarks(of user: UserID) throws(StoreError) -> [MembershipMark]
    /// Those with messages behind what the user has read.
    func unread(of user: UserID) throws(StoreError) -> [UnreadRow]
    /// Stops counting at `limit`.
    func conversationCount(of user: UserID, limit: Int) throws(StoreError) -> Int
    /// A user's, the youngest first; from the one behind `place`.
    func conversations(
        of user: UserID, after place: ConversationKey?, limit: Int
    ) throws(StoreError) -> [ConversationKey]

    func cursors(of user: UserID, on device: DeviceID) throws(StoreError) -> [ConversationKey: UInt64]
    func cursor(of user: UserID, on device: DeviceID, in key: ConversationKey) throws(StoreError) -> CursorRow?
    /// Of so many devices, those first that got on last.
    func cursors(of user: UserID, in key: ConversationKey, limit: Int) throws(StoreError) -> [DeviceMark]
    /// In the place of the one that is there.
    func put(
        _ cursor: CursorRow, of user: UserID, on device: DeviceID, in key: ConversationKey
    ) throws(StoreError)
    /// How far the furthest of a user's devices got.
    func delivered(to user: UserID, in key: ConversationKey) throws(StoreError) -> UInt64
    func removeCursors(of user: UserID) throws(StoreError)
}

/// `blocksOther` of the member is not kept here, but with the blocks.
package struct MemberRow: Hashable, Sendable {
    package var member: Member
    package var isMuted = false
    /// How many messages there were when the user put the conversation away; nil for one that was not.
    package var archivedCounted: UInt64?

    package init(_ member: Member, isMuted: Bool = false, archivedCounted: UInt64? = nil) {
        self.member = member
        self.isMuted = isMuted
        self.archivedCounted = archivedCounted
    }
}

/// Where an entry stands in its conversation.
package struct EntryMark: Hashable, Sendable {
    package let number: UInt64
    /// How many messages there are up to it.
    package let counted: UInt64
    package let time: WallTime

    package init(number: UInt64, counted: UInt64, time: WallTime) {
        self.number = number
        self.counted = counted
        self.time = time
    }
}

/// A user's place in a conversation that has an entry.
package struct Membership: Hashable, Sendable {
    package let conversation: ConversationRow
    package let place: MemberRow
    package let latest: EntryMark

    package init(_ conversation: ConversationRow, _ place: MemberRow, latest: EntryMark) {
        self.conversation = conversation
        self.place = place
        self.latest = latest
    }

    package var key: ConversationKey { self.conversation.key }
    package var member: Member { self.place.member }
    /// What is said afterwards brings it back.
    package var isArchived: Bool { self.place.archivedCounted.map { self.latest.counted <= $0 } ?? false }
}

/// How a user stands in a conversation, and nothing of what is shown of it: of all conversations at once.
package struct MembershipMark: Hashable, Sendable {
    package let key: ConversationKey
    package let id: ConversationID
    package let kind: ConversationKind
    /// Entries up to this number can be searched.
    package let indexed: UInt64
    package let since: UInt64
    package let read: UInt64
    package let readCounted: UInt64
    package let latest: EntryMark

    package init(
        _ key: ConversationKey, _ id: ConversationID, _ kind: ConversationKind, indexed: UInt64, since: UInt64,
        read: UInt64, readCounted: UInt64, latest: EntryMark
    ) {
        (self.key, self.id, self.kind, self.indexed) = (key, id, kind, indexed)
        (self.since, self.read, self.readCounted, self.latest) = (since, read, readCounted, latest)
    }

    package init(_ membership: Membership) {
        let (conversation, member) = (membership.conversation, membership.member)
        self.init(
            membership.key, conversation.id, conversation.kind, indexed: conversation.indexed, since: member.since,
            read: member.read, readCounted: member.readCounted, latest: membership.latest)
    }

    package var place: ConversationPlace { ConversationPlace(time: self.latest.time, key: self.key) }
}

package struct UnreadRow: Hashable, Sendable {
    package let key: ConversationKey
    /// Messages in the conversation, and how many of them the user has read.
    package let counted: UInt64
    package let readCounted: UInt64
    package let read: UInt64

    package init(_ key: ConversationKey, counted: UInt64, readCounted: UInt64, read: UInt64) {
        self.key = key
        self.counted = counted
        self.readCounted = readCounted
        self.read = read
    }

    /// Nil where everything was read.
    package init?(_ mark: MembershipMark) {
        guard mark.latest.counted > mark.readCounted else { return nil }
        self.init(mark.key, counted: mark.latest.counted, readCounted: mark.readCounted, read: mark.read)
    }
}

/// How far a device got.
package struct CursorRow: Hashable, Sendable {
    package var delivered: UInt64
    package var read: UInt64
    package var time: WallTime

    package init(delivered: UInt64, read: UInt64, time: WallTime) {
        self.delivered = delivered
        self.read = read
        self.time = time
    }
}

/// The same with its device.
package struct DeviceMark: Hashable, Sendable {
    package let device: DeviceID
    package let cursor: CursorRow

    package init(_ device: DeviceID, _ cursor: CursorRow) {
        self.device = device
        self.cursor = cursor
    }
}

package protocol EntryTable: AnyObject {
    func entry(_ key: EntryKey) throws(StoreError) -> Entry?
    /// Those that are there, asked for at once.
    func entries(_ keys: [EntryKey]) throws(StoreError) -> [EntryKey: Entry]
    /// What the sender wrote under a name of their own.
    func entry(_ client: MessageID, of sender: UserID) throws(StoreError) -> (key: EntryKey, entry: Entry)?
    /// The first number and the last one; nil when there is no entry.
    func entryBounds(of key: ConversationKey) throws(StoreError) -> ClosedRange<UInt64>?
    func latestEntry(of key: ConversationKey) throws(StoreError) -> EntryMark?
    /// In the order of their numbers, from the lower end of `range` or from the upper one, without their reactions. Ends
    /// behind the one with which they take `maximumBytes` (`Entry.size`).
    func entries(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool, limit: Int, maximumBytes: Int
    ) throws(StoreError) -> [Entry]
    /// The same without all that is around them, from `number` on.
    func bodies(of key: ConversationKey, from number: UInt64, limit: Int) throws(StoreError) -> [BodyRow]
    /// From the first one on, up to the first that is not older than `time`.
    func entries(of key: ConversationKey, before time: WallTime, limit: Int) throws(StoreError) -> [EntryMark]
    /// Whether one of the latest `limit` entries is the user's.
    func isSender(_ user: UserID, in key: ConversationKey, amongLatest limit: Int) throws(StoreError) -> Bool
    /// How many messages behind `number` were taken back.
    func recalledCount(of key: ConversationKey, after number: UInt64) throws(StoreError) -> UInt64

    func pinnedCount(of key: ConversationKey) throws(StoreError) -> Int
    /// Behind `number`, the latest pin first, without their reactions.
    func pinnedEntries(of key: ConversationKey, after number: UInt64, limit: Int) throws(StoreError) -> [Entry]

    /// False when its sender has written something under the same name; then nothing is written.
    func insert(_ entry: Entry, in key: ConversationKey) throws(StoreError) -> Bool
    func update(_ key: EntryKey, _ change: EntryChange) throws(StoreError)
    /// Takes the words out of all edits of a message.
    func clearEdits(of key: EntryKey) throws(StoreError)
    func removeEntries(of key: ConversationKey, through number: UInt64) throws(StoreError)
}

/// What an entry says.
package struct BodyRow: Hashable, Sendable {
    package let number: UInt64
    package let sort: Entry.Sort
    package let body: [UInt8]?

    package init(_ number: UInt64, _ sort: Entry.Sort, _ body: [UInt8]?) {
        self.number = number
        self.sort = sort
        self.body = body
    }
}

package enum EntryChange: Hashable, Sendable {
    case edited(MessageBody, at: WallTime)
    case recalled(at: WallTime)
    /// By the entry of this number; by none any more.
    case pinned(by: UInt64?)
}

package protocol ReactionTable: AnyObject {
    /// The lowest number in `range` whose entry has a reaction, or the highest one.
    func reactedEntry(
        of key: ConversationKey, in range: ClosedRange<UInt64>, fromEnd: Bool
    ) throws(StoreError) -> UInt64?
    /// The different ones under an entry, in their order.
    func reactions(under key: EntryKey, limit: Int) throws(StoreError) -> [String]
    /// Who put one there, in the order of their ids.
    func users(reacting reaction: String, to key: EntryKey, limit: Int) throws(StoreError) -> [UserID]
    func hasReaction(_ reaction: String, of user: UserID, under key: EntryKey) throws(StoreError) -> Bool
    /// Nothing when it is there.
    func putReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError)
    func removeReaction(_ reaction: Reaction, of user: UserID, under key: EntryKey) throws(StoreError)
    func removeReactions(under key: EntryKey) throws(StoreError)
}

package protocol BlockTable: AnyObject {
    func isBlocked(_ other: UserID, by user: UserID) throws(StoreError) -> Bool
    /// In the order of their ids.
    func blocked(by user: UserID) throws(StoreError) -> [UserID]
    /// Nothing when it is there.
    func putBlock(of other: UserID, by user: UserID) throws(StoreError)
    func removeBlock(of other: UserID, by user: UserID) throws(StoreError)
    func removeBlocks(by user: UserID) throws(StoreError)
}

/// The part of a conversation that is searched through.
package struct SearchRange {
    package let key: ConversationKey
    package let numbers: ClosedRange<UInt64>

    package init(_ key: ConversationKey, _ numbers: ClosedRange<UInt64>) {
        (self.key, self.numbers) = (key, numbers)
    }
}

/// The words of messages, as `SearchWords` cuts them: where each of them is, not the messages.
package protocol SearchTable: AnyObject {
    func index(_ words: String, as key: EntryKey) throws(StoreError)
    /// - Parameter words: what was put there.
    func unindex(_ words: String, of key: EntryKey) throws(StoreError)
    /// Entries with all of the phrases, at most `limit` of them: range by range, and in each the latest first.
    func search(_ phrases: [SearchPhrase], in ranges: [SearchRange], limit: Int) throws(StoreError) -> [EntryKey]
}
