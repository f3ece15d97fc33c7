package import Vocabulary

/// Somebody was sent away from a conversation, or may only listen there: by whom, since when, until when, and why.
package struct Sanction: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case removed, silenced
    }

    package let user: UserID
    package let kind: Kind
    /// Nil for what is older than this list.
    package let actor: UserID?
    package let time: WallTime
    /// Nil for good.
    package let until: WallTime?
    package let reason: DisplayName?

    package init(
        _ kind: Kind, of user: UserID, by actor: UserID?, at time: WallTime, until: WallTime?, reason: DisplayName?
    ) {
        self.kind = kind
        self.user = user
        self.actor = actor
        self.time = time
        self.until = until
        self.reason = reason
    }

    package var place: SanctionPlace { SanctionPlace(user: self.user, kind: self.kind) }
}

/// A place in the list of a conversation's sanctions, which is in the order of the users' ids.
package struct SanctionPlace: Hashable, Sendable {
    package let user: UserID
    package let kind: Sanction.Kind

    package init(user: UserID, kind: Sanction.Kind) {
        self.user = user
        self.kind = kind
    }
}
