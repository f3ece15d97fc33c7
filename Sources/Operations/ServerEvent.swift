/// Everything that the server tells a client by itself, by name.
package enum ServerEvent: String, Hashable, Sendable, CaseIterable {
    case welcome
    case sessionEnding = "session.ending"
    case sessionMoving = "session.moving"
    case iceServers = "ice.servers"
    case presence
    case profile
    case signal

    case roomJoined = "room.joined"
    case roomAway = "room.away"
    case roomBack = "room.back"
    case roomLeft = "room.left"
    case roomDismissed = "room.dismissed"
    case roomHost = "room.host"
    case roomRecording = "room.recording"
    case roomKnocked = "room.knocked"
    case roomAdmitted = "room.admitted"

    case callIncoming = "call.incoming"
    case callRinging = "call.ringing"
    case callConnected = "call.connected"
    case callPeerAway = "call.peerAway"
    case callPeerBack = "call.peerBack"
    case callRecording = "call.recording"
    case callEnded = "call.ended"

    case chatEntry = "chat.entry"
    case chatReceipt = "chat.receipt"
    case chatTyping = "chat.typing"
    case chatArranged = "chat.arranged"
    case chatSettings = "chat.settings"
    case chatPassing = "chat.passing"

    package var fields: [FieldDescription] {
        switch self {
        case .welcome:
            [
                .text("user"), .text("name"), .text("member"), .list("iceServers"), .number("expires"),
                .text("instead").optional,
            ]
        case .sessionEnding: [.object("error")]
        case .sessionMoving: [.number("after")]
        case .iceServers: [.list("iceServers"), .number("expires").optional]
        case .presence:
            [
                .text("user"), .flag("online"), .text("name").optional, .text("avatar").optional,
                .number("lastSeen").optional,
            ]
        case .profile: Answer.profile.fields
        case .signal:
            [.text("room").optional, .text("call").optional, .text("from"), .number("number").optional]
                + SignalContent.allCases.map { .object($0.rawValue).optional }
        case .roomJoined:
            [.text("room"), .text("member"), .text("user"), .text("name"), .text("avatar").optional, .number("number")]
        case .roomAway, .roomBack: [.text("room"), .text("member"), .number("number")]
        case .roomLeft: [.text("room"), .text("member"), .text("reason"), .number("number")]
        case .roomDismissed: [.text("room"), .text("reason")]
        case .roomHost: [.text("room"), .text("user")]
        case .roomRecording: [.text("room"), .text("member"), .number("since").optional, .number("number")]
        case .roomKnocked: [.text("room"), .text("user"), .text("name"), .text("avatar").optional]
        case .roomAdmitted: [.text("room")]
        case .callIncoming: [.text("call"), .text("kind"), .object("from")]
        case .callRinging: [.text("call"), .flag("push").optional]
        case .callPeerAway: [.text("call")]
        case .callConnected: [.text("call"), .text("kind"), .text("role"), .object("peer")]
        case .callPeerBack: [.text("call"), .text("member"), .flag("keeps").optional]
        case .callRecording: [.text("call"), .number("since").optional]
        case .callEnded: [.text("call"), .text("outcome"), .text("by").optional, .text("into").optional]
        case .chatEntry: Self.entryFields
        case .chatReceipt:
            [
                .text("conversation"), .text("user"), .number("delivered"), .number("read"), .number("time"),
                .number("unread").optional, .number("badge").optional,
            ]
        case .chatTyping: [.text("conversation"), .text("user"), .flag("on")]
        case .chatArranged: [.text("conversation"), .flag("muted").optional, .flag("archived").optional]
        case .chatSettings:
            [.text("conversation"), .number("slowSeconds").optional, .number("retentionDays").optional]
        case .chatPassing:
            [.text("conversation").optional, .text("from"), .text("kind"), .object("body"), .number("time")]
        }
    }

    /// Of an entry, wherever one is told.
    package static let entryFields: [FieldDescription] = [
        .text("conversation"), .number("number"), .text("id"), .text("type"), .text("from"), .number("time"),
        .text("client").optional, .text("kind").optional, .object("body").optional, .number("reply").optional,
        .number("target").optional, .list("mentions").optional, .flag("forwarded").optional,
        .number("edited").optional, .flag("recalled").optional, .list("reactions").optional,
    ]
}
