package import Vocabulary

/// Where something that a member sends goes.
package enum RelayRoute: Hashable, Sendable {
    case deliver(to: SessionID)
    /// The target's line is down; the keeper of its place can keep this for it.
    case keep(for: SessionID)
    /// To every other member. It is an event of the room and has its number, which the sender is told.
    case deliverToOthers(number: UInt64)
    /// No member has this session. It may have had one: clients speak to those who just left.
    case unknownTarget
}
