package import Vocabulary

/// What stays of a member who went and may come back.
package struct FormerMember: Hashable, Sendable {
    /// Sent away: only who leads the conversation brings them back.
    package let wasRemoved: Bool
    /// Until then; nil for good.
    package let removedUntil: WallTime?
    /// Comes back with them.
    package let silencedUntil: WallTime?
    /// When they said something last, where that makes them wait.
    package let spokeAt: WallTime?

    package init(
        wasRemoved: Bool, removedUntil: WallTime? = nil, silencedUntil: WallTime?, spokeAt: WallTime? = nil
    ) {
        self.wasRemoved = wasRemoved
        self.removedUntil = removedUntil
        self.silencedUntil = silencedUntil
        self.spokeAt = spokeAt
    }

    /// Nil when nothing of it matters any more.
    init?(
        _ member: Member, wasRemoved: Bool, removedUntil: WallTime? = nil, slowMode: Duration?, at now: WallTime
    ) {
        let silencedUntil = member.silencedUntil.flatMap { $0 > now ? $0 : nil }
        let spokeAt = slowMode.flatMap { slow in member.spokeAt.flatMap { $0 + slow > now ? $0 : nil } }
        guard wasRemoved || silencedUntil != nil || spokeAt != nil else { return nil }
        self.init(
            wasRemoved: wasRemoved, removedUntil: removedUntil, silencedUntil: silencedUntil, spokeAt: spokeAt)
    }

    /// Whether they may not come back by themselves.
    package func isRemoved(at now: WallTime) -> Bool { self.wasRemoved && self.removedUntil.map { now < $0 } ?? true }
}
