/// What an operation is answered with: one object, by the name it has in `openapi.json`.
package enum Answer: String, Hashable, Sendable, CaseIterable {
    case nothing = "Nothing"
    // Conversations.
    case outcome = "Outcome"
    case entries = "Entries"
    case conversation = "Conversation"
    case conversations = "ConversationList"
    case members = "MemberList"
    case marked = "Marked"
    case marks = "Marks"
    case synced = "Synced"
    case blocked = "Users"
    case sanctions = "SanctionList"
    case report = "Report"
    // People.
    case profile = "Profile"
    case profiles = "ProfileList"
    case presences = "Presences"
    // Rooms and calls.
    case room = "Room"
    case relayed = "Relayed"
    case invited = "Invited"
    case call = "Call"
    // The session.
    case expiry = "Expiry"
    case iceServers = "ICEServers"

    package var fields: [FieldDescription] {
        switch self {
        case .nothing: []
        case .outcome: [.text("conversation"), .number("number"), .text("id"), .number("time")]
        case .entries: [.list("entries"), .flag("more")]
        case .conversation: Self.conversationFields
        case .conversations: [.list("conversations"), .text("next").optional, .number("badge")]
        case .members: [.list("members"), .text("next").optional]
        case .marked: [.number("delivered"), .number("read"), .number("unread"), .number("badge")]
        case .marks: [.number("delivered"), .number("read"), .list("devices")]
        case .synced: [.list("conversations"), .flag("more"), .number("badge")]
        case .blocked: [.list("users")]
        case .report: [.number("report")]
        case .sanctions: [.list("sanctions"), .text("next").optional]
        case .profile: [.text("user"), .text("name").optional, .text("avatar").optional, .flag("deleted").optional]
        case .profiles: [.list("users")]
        case .presences: [.list("users"), .number("count").optional]
        case .room:
            [
                .text("room"), .text("member"), .number("number"), .number("count"), .text("access").optional,
                .text("host").optional, .list("members"),
            ]
        case .relayed: [.number("number").optional]
        case .invited: [.text("call")]
        case .call: Self.callFields
        case .expiry: [.number("expires")]
        case .iceServers: [.list("iceServers"), .number("expires").optional, .object("quota").optional]
        }
    }

    private static let conversationFields: [FieldDescription] = [
        .text("conversation"), .text("kind"), .text("role"), .text("title").optional, .text("subject").optional,
        .object("peer").optional, .number("members"), .number("last"), .number("since"), .number("read"),
        .number("unread"), .flag("muted").optional, .flag("archived").optional, .number("retentionDays").optional,
        .number("slowSeconds").optional, .flag("dissolved").optional,
        .object("latest"),
    ]

    private static let callFields: [FieldDescription] = [
        .text("call"), .text("caller"), .text("callee"), .text("kind"), .text("phase"), .text("role").optional,
        .object("peer").optional,
    ]
}
