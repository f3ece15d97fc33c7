internal import Calling
package import JSON
internal import Reactor
package import SocketServer
internal import Vocabulary

/// Our own events, in the shapes that `docs/protocol.md` describes.
package final class NativeDialect: Dialect {
    package init() {}

    package func event(for notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .cameOnline, .wentOffline: Self.presence(notice)
        case .profile(let profile): SocketBroadcast("profile") { $0.profile(profile) }
        case .joined, .away, .back, .gone, .dismissed: Self.room(notice)
        case .signal(let signal): Self.signal(signal)
        case .incomingCall, .ringing, .connected, .peerAway, .peerBack, .callEnded: Self.call(notice)
        case .iceServers(let json): SocketBroadcast("ice.servers") { $0.raw(json) }
        case .sessionEnding(let error): SocketBroadcast("session.ending") { $0.error(error) }
        }
    }

    private static func presence(_ notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .cameOnline(let user, let face):
            SocketBroadcast("presence") { json in
                json.fields(("user", user.text), ("name", face.name.text)) { json in
                    json.avatar(face.avatar)
                    json.key("online")
                    json.bool(true)
                }
            }
        case .wentOffline(let user, _, let lastSeen):
            SocketBroadcast("presence") { json in
                json.fields(("user", user.text)) { json in
                    json.key("online")
                    json.bool(false)
                    json.key("lastSeen")
                    json.integer(lastSeen.milliseconds)
                }
            }
        default: nil
        }
    }

    private static func room(_ notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .joined(let room, let person, let number):
            SocketBroadcast("room.joined") { json in
                json.fields(("room", room.text)) { json in
                    json.members(of: person)
                    json.number(number)
                }
            }
        case .away(let room, let session, let number): Self.room("room.away", room, session, number)
        case .back(let room, let session, let number): Self.room("room.back", room, session, number)
        case .gone(let room, let session, let reason, let number):
            Self.room("room.left", room, session, number, reason: reason.rawValue)
        case .dismissed(let room, let reason):
            SocketBroadcast("room.dismissed") { $0.fields(("room", room.text), ("reason", reason.rawValue)) }
        default: nil
        }
    }

    private static func room(
        _ event: String, _ room: RoomName, _ session: SessionID, _ number: UInt64, reason: String? = nil
    ) -> SocketBroadcast {
        SocketBroadcast(event) { json in
            json.fields(("room", room.text), ("member", session.text)) { json in
                if let reason {
                    json.key("reason")
                    json.string(reason)
                }
                json.number(number)
            }
        }
    }

    private static func signal(_ signal: Signal) -> SocketBroadcast {
        SocketBroadcast("signal") { json in
            json.object { json in
                json.field(signal.scope)
                json.key("from")
                json.string(signal.from.text)
                json.key(signal.content.field)
                json.raw(signal.json)
                if let number = signal.number { json.number(number) }
            }
        }
    }

    private static func call(_ notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .incomingCall(let call, let caller, let kind):
            SocketBroadcast("call.incoming") { json in
                json.fields(("call", call.text), ("kind", kind.rawValue)) { json in
                    json.key("from")
                    json.object { $0.members(of: caller) }
                }
            }
        case .ringing(let call): SocketBroadcast("call.ringing") { $0.fields(("call", call.text)) }
        case .connected(let call, let connection, let peer):
            SocketBroadcast("call.connected") { json in
                json.fields(
                    ("call", call.text), ("kind", connection.kind.rawValue), ("role", connection.role.rawValue)
                ) { json in
                    json.key("peer")
                    json.object { $0.members(of: peer) }
                }
            }
        case .peerAway(let call): SocketBroadcast("call.peerAway") { $0.fields(("call", call.text)) }
        case .peerBack(let call, let session):
            SocketBroadcast("call.peerBack") { $0.fields(("call", call.text), ("member", session.text)) }
        case .callEnded(let call, let ending):
            SocketBroadcast("call.ended") { json in json.fields(("call", call.text)) { $0.members(of: ending) } }
        default: nil
        }
    }
}

// MARK: - Words

extension Signal.Content {
    var field: String {
        switch self {
        case .description: "description"
        case .candidate: "candidate"
        case .data: "data"
        }
    }
}

extension JSONWriter {
    /// An object of texts, and what `more` adds to it.
    package mutating func fields(_ fields: (String, String)..., more: (inout JSONWriter) -> Void = { _ in }) {
        self.object { json in
            for (name, value) in fields {
                json.key(name)
                json.string(value)
            }
            more(&json)
        }
    }

    fileprivate mutating func field(_ scope: Signal.Scope) {
        switch scope {
        case .room(let room):
            self.key("room")
            self.string(room.text)
        case .call(let call):
            self.key("call")
            self.string(call.text)
        }
    }

    mutating func number(_ number: UInt64) {
        self.key("number")
        self.integer(number)
    }

    mutating func members(of person: Person) {
        for (name, value) in [
            ("member", person.session.text), ("user", person.user.text), ("name", person.name.text),
        ] {
            self.key(name)
            self.string(value)
        }
        self.avatar(person.avatar)
        guard person.isAway else { return }
        self.key("away")
        self.bool(true)
    }

    fileprivate mutating func members(of ending: CallEnding) {
        let (outcome, detail): (String, (String, String)?) =
            switch ending {
            case .over(let outcome, let user): (outcome.rawValue, user.map { ("by", $0.text) })
            case .answeredElsewhere: ("answeredElsewhere", nil)
            case .movedElsewhere: ("movedElsewhere", nil)
            case .merged(let call): ("merged", ("into", call.text))
            }
        self.key("outcome")
        self.string(outcome)
        guard let (name, value) = detail else { return }
        self.key(name)
        self.string(value)
    }

    /// `{"error":{…}}`, as every request is answered that was not granted.
    package mutating func error(_ error: SwitchboardError) {
        self.object { json in
            json.key("error")
            json.fields(("code", error.code.rawValue), ("message", error.message)) { json in
                guard let wait = error.retryAfter else { return }
                json.key("retryAfter")
                json.integer(wait.wholeMilliseconds)
            }
        }
    }
}
