/// What kind of company a conversation is.
package enum ConversationKind: String, Hashable, Sendable, CaseIterable {
    /// Two people, or one with themselves. It begins with the first message and never ends.
    case direct
    /// Those who were invited.
    case group
    /// Open to everybody who comes in.
    case room
    /// Bound to something outside that has an id of its own, say an order.
    case order
    /// The server speaks, people read.
    case system

    /// Whether people bring each other in, and may not want to be.
    package var isByPeople: Bool { self == .group || self == .room }
}

/// What a member may do to a conversation and to the others in it.
package enum Role: Int, Hashable, Comparable, Sendable, CaseIterable {
    case member = 0
    case admin = 1
    case owner = 2

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }

    package var word: String {
        switch self {
        case .member: "member"
        case .admin: "admin"
        case .owner: "owner"
        }
    }

    package init?(_ word: String) {
        guard let role = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = role
    }
}
