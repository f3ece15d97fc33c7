package import Vocabulary

/// What a client hears, in the order in which it happened.
package enum ParleyEvent: Hashable, Sendable {
    /// We are in, and nothing is left of an earlier connection: rooms have to be joined again.
    case connected(SessionID)
    /// We are back where we were, and missed nothing.
    case recovered(SessionID)
    /// The connection is gone; the next attempt comes by itself after a rest.
    case disconnected(LinkFailure, rest: Duration)
    /// The last event of all.
    case ended(LinkFailure)

    case welcome(Welcome)
    case presence(Presence)
    /// Somebody we see is called something else now, or looks different.
    case profile(ProfileView)
    case room(RoomEvent)
    case signal(Signal)
    case call(CallEvent)
    case entry(ChatEntry)
    /// What becomes of something we say.
    case outgoing(MessageID, OutgoingMessage.State)
    case receipt(ChatReceipt)
    case typing(ChatTyping)
    case iceServers(ICEServerAdvice)
    /// The session is about to end, for this reason; a fresh token may keep it.
    case sessionEnding(ServerRefusal)
    /// An event that this client does not know, or not in this form.
    case other(name: String, RawJSON)
}

extension ParleyEvent {
    /// What the server says, in our own words.
    init(_ name: String, _ json: RawJSON) {
        self = Self.known(name, json) ?? .other(name: name, json)
    }

    private static func known(_ name: String, _ json: RawJSON) -> ParleyEvent? {
        switch name {
        case "welcome": Welcome(json).map { .welcome($0) }
        case "presence": Presence(json).map { .presence($0) }
        case "profile": ProfileView(json).map { .profile($0) }
        case "signal": Signal(json).map { .signal($0) }
        case "chat.entry": ChatEntry(json).map { .entry($0) }
        case "chat.receipt": ChatReceipt(json).map { .receipt($0) }
        case "chat.typing": ChatTyping(json).map { .typing($0) }
        case "ice.servers": ICEServerAdvice(json).map { .iceServers($0) }
        case "session.ending": ServerRefusal(in: json).map { .sessionEnding($0) }
        case _ where name.hasPrefix("room."): RoomEvent(name, json).map { .room($0) }
        case _ where name.hasPrefix("call."): CallEvent(name, json).map { .call($0) }
        default: nil
        }
    }
}
