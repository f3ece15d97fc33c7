internal import Calling
package import JSON
package import Operations
internal import Reactor
package import SocketServer
internal import Vocabulary

/// Our own events, in the shapes that `docs/protocol.md` describes.
package final class NativeDialect: Dialect {
    package init() {}

    package func event(for notice: Notice) -> SocketBroadcast? {
        switch notice {
        case .cameOnline(let user, let face):
            self.event(.presence, ("user", user.text), ("name", face.name.text)) { json in
                json.optional("avatar", face.avatar?.text)
                json.field("online", true)
            }
        case .wentOffline(let user, _, let lastSeen):
            self.event(.presence, ("user", user.text)) { json in
                json.field("online", false)
                json.field("lastSeen", lastSeen.milliseconds)
            }
        case .profile(let profile): SocketBroadcast(.profile) { $0.profile(profile) }
        case .joined(let room, let person, let number):
            self.event(.roomJoined, ("room", room.text)) { json in
                json.members(of: person)
                json.field("number", number)
            }
        case .away(let room, let session, let number):
            self.event(.roomAway, ("room", room.text), ("member", session.text)) { $0.field("number", number) }
        case .back(let room, let session, let number):
            self.event(.roomBack, ("room", room.text), ("member", session.text)) { $0.field("number", number) }
        case .gone(let room, let session, let reason, let number):
            self.event(.roomLeft, ("room", room.text), ("member", session.text), ("reason", reason.rawValue)) {
                $0.field("number", number)
            }
        case .recording(let room, let who, let start, let number): self.recording(room, who, start, number)
        case .dismissed(let room, let reason):
            self.event(.roomDismissed, ("room", room.text), ("reason", reason.rawValue))
        case .host(let room, let user): self.event(.roomHost, ("room", room.text), ("user", user.text))
        case .knocked(let room, let person):
            self.event(.roomKnocked, ("room", room.text), ("user", person.user.text)) { json in
                json.members([("name", person.name?.text), ("avatar", person.avatar?.text)])
            }
        case .admitted(let room): self.event(.roomAdmitted, ("room", room.text))
        case .signal(let signal): Self.signal(signal)
        case .call(let call, let notice): self.event(for: notice, of: call)
        case .iceServers(let json): SocketBroadcast(.iceServers) { $0.raw(json) }
        case .sessionEnding(let error): SocketBroadcast(.sessionEnding) { $0.error(error) }
        case .sessionMoving(let after):
            SocketBroadcast(.sessionMoving, isVolatile: true) { json in
                json.object { $0.field("after", after.wholeMilliseconds) }
            }
        }
    }

    private func recording(
        _ room: RoomName, _ session: SessionID, _ start: WallTime?, _ number: UInt64
    ) -> SocketBroadcast {
        self.event(.roomRecording, ("room", room.text), ("member", session.text)) { json in
            json.optional("since", start?.milliseconds)
            json.field("number", number)
        }
    }

    private func event(for notice: CallNotice, of call: CallID) -> SocketBroadcast {
        let name = ("call", call.text)
        return switch notice {
        case .incoming(let caller, let kind):
            self.event(.callIncoming, name, ("kind", kind.rawValue)) { json in
                json.object("from") { $0.members(of: caller) }
            }
        case .ringing(let byPush): self.event(.callRinging, name) { json in if byPush { json.field("push", true) } }
        case .connected(let connection, let peer):
            self.event(
                .callConnected, name, ("kind", connection.kind.rawValue), ("role", connection.role.rawValue)
            ) { json in
                json.object("peer") { $0.members(of: peer) }
            }
        case .peerAway: self.event(.callPeerAway, name)
        case .peerBack(let session, let keepsMedia):
            self.event(.callPeerBack, name, ("member", session.text)) { json in
                if keepsMedia { json.field("keeps", true) }
            }
        case .recording(let start):
            self.event(.callRecording, name) { $0.optional("since", start?.milliseconds) }
        case .ended(let ending): self.event(.callEnded, name) { $0.members(of: ending) }
        }
    }

    private static func signal(_ signal: RelayedSignal) -> SocketBroadcast {
        SocketBroadcast(ServerEvent.signal.rawValue, attachments: signal.attachments) { json in
            json.object { json in
                signal.scope.argument.write(to: &json)
                json.field("from", signal.from.text)
                json.field(signal.content.rawValue, raw: signal.json)
                if let number = signal.number { json.field("number", number) }
            }
        }
    }

    private func event(
        _ event: ServerEvent, _ fields: (String, String)..., more: @escaping (inout JSONWriter) -> Void = { _ in }
    ) -> SocketBroadcast {
        SocketBroadcast(event) { $0.fields(fields, more: more) }
    }
}

extension SocketBroadcast {
    convenience init(
        _ event: ServerEvent, isVolatile: Bool = false, _ arguments: @escaping (inout JSONWriter) -> Void
    ) {
        self.init(event.rawValue, isVolatile: isVolatile, arguments)
    }
}

// MARK: - Words

extension JSONWriter {
    mutating func members(of person: Person) {
        self.field("member", person.session.text)
        self.field("user", person.user.text)
        self.optional("name", person.name?.text)
        self.optional("avatar", person.avatar?.text)
        if person.isAway { self.field("away", true) }
        self.optional("recording", person.recordingSince?.milliseconds)
    }

    fileprivate mutating func members(of ending: CallEnding) {
        switch ending {
        case .over(let outcome, let user):
            self.field("outcome", outcome.rawValue)
            self.optional("by", user?.text)
        case .answeredElsewhere: self.field("outcome", "answeredElsewhere")
        case .movedElsewhere: self.field("outcome", "movedElsewhere")
        case .merged(let call): self.members([("outcome", "merged"), ("into", call.text)])
        }
    }

    /// `{"error":{…}}`, as every request is answered that was not granted.
    package mutating func error(_ error: RequestError) {
        self.object { $0.errorMember(error) }
    }

    package mutating func errorMember(_ error: RequestError) {
        self.object("error") { json in
            json.field("code", error.code.rawValue)
            json.field("message", error.message)
            json.optional("retryAfter", error.retryAfter?.wholeMilliseconds)
        }
    }
}
