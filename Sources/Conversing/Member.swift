package import Vocabulary

/// A user's place in a conversation.
package struct Member: Hashable, Sendable {
    package let user: UserID
    package var role: Role
    /// Entries up to this number are not theirs to see: they came later, or cleared their history.
    package var since: UInt64
    /// How far they have read, on whichever device.
    package var read: UInt64
    /// How many messages there were up to there.
    package var readCounted: UInt64
    /// Until then they may listen only.
    package var silencedUntil: WallTime?
    /// When they said something last; nil when that is not known.
    package var spokeAt: WallTime?
    /// In a direct conversation: does not want to hear from the other.
    package var blocksOther: Bool

    package init(
        _ user: UserID, role: Role = .member, since: UInt64 = 0, read: UInt64 = 0, readCounted: UInt64 = 0,
        silencedUntil: WallTime? = nil, spokeAt: WallTime? = nil, blocksOther: Bool = false
    ) {
        self.user = user
        self.role = role
        self.since = since
        self.read = read
        self.readCounted = readCounted
        self.silencedUntil = silencedUntil
        self.spokeAt = spokeAt
        self.blocksOther = blocksOther
    }
}
