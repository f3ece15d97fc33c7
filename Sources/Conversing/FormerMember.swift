package import Vocabulary

/// What stays of a member who went and may come back.
package struct FormerMember: Hashable, Sendable {
    /// Sent away: only who leads the conversation brings them back.
    package let wasRemoved: Bool
    /// Comes back with them.
    package let silencedUntil: WallTime?

    package init(wasRemoved: Bool, silencedUntil: WallTime?) {
        self.wasRemoved = wasRemoved
        self.silencedUntil = silencedUntil
    }

    /// Nil when nothing of it matters any more.
    init?(_ member: Member, wasRemoved: Bool, at now: WallTime) {
        let silencedUntil = member.silencedUntil.flatMap { $0 > now ? $0 : nil }
        guard wasRemoved || silencedUntil != nil else { return nil }
        self.init(wasRemoved: wasRemoved, silencedUntil: silencedUntil)
    }
}
