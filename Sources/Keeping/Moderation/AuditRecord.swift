package import Vocabulary

/// One thing that an operator or a moderator did: who, by what right, what, to whom, when, and how it went.
package struct AuditRecord: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// Written down and not over yet; for good when the program ended in between.
        case begun
        case done
        /// The server could not do it.
        case failed
        /// It was not to be done: no such user, say.
        case refused
    }

    /// Counts without being used twice.
    package let number: Int64
    package let time: WallTime
    package let actor: Actor
    /// `user.ban`, `report.settle`.
    package let action: String
    /// A user, a conversation, a report: whatever the action is done to.
    package let target: String?
    package let detail: String?
    package var outcome: Outcome

    package struct Actor: Hashable, Sendable {
        /// `operator`, or a moderator's id.
        package let name: String
        /// From where the request came; nil for what a moderator did.
        package let address: String?
        /// How the token is recognised, never the token itself; nil where none was asked for.
        package let token: String?

        package init(name: String, address: String? = nil, token: String? = nil) {
            self.name = name
            self.address = address
            self.token = token
        }

        package init(moderator: UserID) { self.init(name: moderator.text) }
    }

    package init(
        _ number: Int64, at time: WallTime, by actor: Actor, _ action: String, on target: String?, _ detail: String?,
        _ outcome: Outcome
    ) {
        self.number = number
        self.time = time
        self.actor = actor
        self.action = action
        self.target = target
        self.detail = detail
        self.outcome = outcome
    }
}
