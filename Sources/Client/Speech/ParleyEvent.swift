internal import Operations
package import Vocabulary

/// What a client hears, in the order in which it happened.
package enum ParleyEvent: Hashable, Sendable {
    /// We are in, and nothing is left of an earlier connection: rooms have to be joined again.
    case connected(SessionID)
    /// We are back where we were, and missed nothing.
    case recovered(SessionID)
    /// The connection is gone; the next attempt comes by itself after a rest.
    case disconnected(LinkFailure, retryIn: Duration)
    /// The last event of all.
    case ended(LinkFailure)

    case welcome(Welcome)
    case presence(Presence)
    /// A user we see has another name or picture now.
    case profile(ProfileView)
    case room(RoomEvent)
    case signal(SignalMessage)
    case call(CallEvent)
    case entry(ChatEntry)
    /// What becomes of something we say.
    case outgoing(MessageID, OutgoingMessage.State)
    case receipt(ChatReceipt)
    case typing(ChatTyping)
    /// What the user wants of a conversation, said on any of their devices.
    case arranged(ChatArrangement)
    /// What was set for all members of a conversation.
    case settings(ChatSettings)
    /// Something that was said and is kept nowhere.
    case passing(ChatPassing)
    case iceServers(ICEServerAdvice)
    /// The session is about to end, for this reason; a fresh token may keep it.
    case sessionEnding(ServerRefusal)
    /// The server goes; after that time the connection breaks, and comes back on another one by itself.
    case sessionMoving(after: Duration)
    /// An event that this client does not know, or not in this form.
    case other(name: String, RawJSON)
}

extension ParleyEvent {
    /// What the server says, in our own words.
    package init(_ name: String, _ json: RawJSON) {
        self = ServerEvent(rawValue: name).flatMap { Self.known($0, json) } ?? .other(name: name, json)
    }

    private static func known(_ event: ServerEvent, _ json: RawJSON) -> ParleyEvent? {
        switch event {
        case .welcome: Welcome(json).map { .welcome($0) }
        case .presence: Presence(json).map { .presence($0) }
        case .profile: ProfileView(json).map { .profile($0) }
        case .signal: SignalMessage(json).map { .signal($0) }
        case .chatEntry: ChatEntry(json).map { .entry($0) }
        case .chatReceipt: ChatReceipt(json).map { .receipt($0) }
        case .chatTyping: ChatTyping(json).map { .typing($0) }
        case .chatArranged: ChatArrangement(json).map { .arranged($0) }
        case .chatSettings: ChatSettings(json).map { .settings($0) }
        case .chatPassing: ChatPassing(json).map { .passing($0) }
        case .iceServers: ICEServerAdvice(json).map { .iceServers($0) }
        case .sessionEnding: ServerRefusal(in: json).map { .sessionEnding($0) }
        case .sessionMoving: json.integer("after").map { .sessionMoving(after: .milliseconds($0)) }
        case .roomJoined: Self.room(json, Participant(json).map { .joined($0) })
        case .roomAway: Self.room(json, json.session.map { .away($0) })
        case .roomBack: Self.room(json, json.session.map { .back($0) })
        case .roomLeft: Self.room(json, json.session.map { .left($0, reason: json.text("reason") ?? "left") })
        case .roomDismissed: Self.room(json, .dismissed(reason: json.text("reason") ?? "removed"))
        case .roomRecording:
            Self.room(json, json.session.map { .recording($0, since: json.time("since")) })
        case .roomHost: Self.room(json, json.name("user") { UserID($0) }.map { .host($0) })
        case .roomKnocked:
            Self.room(json, json.name("user") { UserID($0) }.map { .knocked($0, name: json.text("name") ?? "") })
        case .roomAdmitted: Self.room(json, .admitted)
        case .callIncoming: Self.call(json, CallEvent.Change(incoming: json))
        case .callRinging: Self.call(json, .ringing(byPush: json.bool("push") == true))
        case .callConnected: Self.call(json, CallEvent.Change(connected: json))
        case .callPeerAway: Self.call(json, .peerAway)
        case .callPeerBack:
            Self.call(json, json.session.map { .peerBack($0, keepsMedia: json.bool("keeps") == true) })
        case .callRecording: Self.call(json, .recording(since: json.time("since")))
        case .callEnded: Self.call(json, CallEvent.End(json).map { .ended($0) })
        }
    }

    private static func room(_ json: RawJSON, _ change: RoomEvent.Change?) -> ParleyEvent? {
        change.flatMap { RoomEvent(json, $0) }.map { .room($0) }
    }

    private static func call(_ json: RawJSON, _ change: CallEvent.Change?) -> ParleyEvent? {
        change.flatMap { CallEvent(json, $0) }.map { .call($0) }
    }
}

extension RawJSON {
    fileprivate var session: SessionID? { self.name("member") { SessionID($0) } }
}
