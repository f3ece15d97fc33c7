/// What kind of company a conversation is.
package enum ConversationKind: RawRepresentable, Hashable, Sendable {
    /// Two people, or one with themselves. It begins with the first message and never ends.
    case direct
    /// Those who were invited.
    case group
    /// Open to every user.
    case room
    /// The server speaks, people read.
    case system
    /// Bound to something outside that has an id of its own; the word says to what kind of thing.
    case bound(to: String)

    package init?(rawValue: String) {
        switch rawValue {
        case "direct": self = .direct
        case "group": self = .group
        case "room": self = .room
        case "system": self = .system
        case "": return nil
        default: self = .bound(to: rawValue)
        }
    }

    package var rawValue: String {
        switch self {
        case .direct: "direct"
        case .group: "group"
        case .room: "room"
        case .system: "system"
        case .bound(let thing): thing
        }
    }

    /// Whether people bring each other in, and may not want to be.
    package var isByPeople: Bool { self.rules.membership == .byMembers || self.rules.membership == .open }

    package var rules: ConversationRules {
        switch self {
        case .direct: ConversationRules(.fixed, honoursBlocks: true)
        case .group: ConversationRules(.byMembers)
        case .room: ConversationRules(.open)
        case .system: ConversationRules(.fixed, speaks: .owner)
        // The roles say what a member is outside, and give no power over what others said.
        case .bound: ConversationRules(.byOwner, recallsOthers: .owner)
        }
    }
}

/// What holds in all conversations of one kind.
package struct ConversationRules: Hashable, Sendable {
    /// Who decides who is in it, and in which role.
    package enum Membership: Hashable, Sendable {
        /// No one: it was settled when the conversation began.
        case fixed
        /// Its owner alone, which is the server.
        case byOwner
        /// Members invite, who leads sends away.
        case byMembers
        /// The same, and every user may come in and read what was said before.
        case open
    }

    package let membership: Membership
    /// The lowest role that may say something.
    package let speaks: Role
    /// The lowest role that takes back what others said.
    package let recallsOthers: Role
    /// A user whom a member has blocked cannot send.
    package let honoursBlocks: Bool

    init(
        _ membership: Membership, speaks: Role = .member, recallsOthers: Role = .admin, honoursBlocks: Bool = false
    ) {
        self.membership = membership
        self.speaks = speaks
        self.recallsOthers = recallsOthers
        self.honoursBlocks = honoursBlocks
    }
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
