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
                json.avatar(face.avatar)
                json.key("online")
                json.bool(true)
            }
        case .wentOffline(let user, _, let lastSeen):
            self.event(.presence, ("user", user.text)) { json in
                json.key("online")
                json.bool(false)
                json.key("lastSeen")
                json.integer(lastSeen.milliseconds)
            }
        case .profile(let profile): SocketBroadcast(.profile) { $0.profile(profile) }
        case .joined(let room, let person, let number):
            self.event(.roomJoined, ("room", room.text)) { json in
                json.members(of: person)
                json.number(number)
            }
        case .away(let room, let session, let number):
            self.event(.roomAway, ("room", room.text), ("member", session.text)) { $0.number(number) }
        case .back(let room, let session, let number):
            self.event(.roomBack, ("room", room.text), ("member", session.text)) { $0.number(number) }
        case .gone(let room, let session, let reason, let number):
            self.event(.roomLeft, ("room", room.text), ("member", session.text), ("reason", reason.rawValue)) {
                $0.number(number)
            }
        case .dismissed(let room, let reason):
            self.event(.roomDismissed, ("room", room.text), ("reason", reason.rawValue))
        case .signal(let signal): Self.signal(signal)
        case .call(let call, let notice): self.event(for: notice, of: call)
        case .iceServers(let json): SocketBroadcast(.iceServers) { $0.raw(json) }
        case .sessionEnding(let error): SocketBroadcast(.sessionEnding) { $0.error(error) }
        }
    }

    private func event(for notice: CallNotice, of call: CallID) -> SocketBroadcast {
        let name = ("call", call.text)
        return switch notice {
        case .incoming(let caller, let kind):
            self.event(.callIncoming, name, ("kind", kind.rawValue)) { json in
                json.key("from")
                json.object { $0.members(of: caller) }
            }
        case .ringing: self.event(.callRinging, name)
        case .connected(let connection, let peer):
            self.event(
                .callConnected, name, ("kind", connection.kind.rawValue), ("role", connection.role.rawValue)
            ) { json in
                json.key("peer")
                json.object { $0.members(of: peer) }
            }
        case .peerAway: self.event(.callPeerAway, name)
        case .peerBack(let session): self.event(.callPeerBack, name, ("member", session.text))
        case .ended(let ending): self.event(.callEnded, name) { $0.members(of: ending) }
        }
    }

    private static func signal(_ signal: RelayedSignal) -> SocketBroadcast {
        SocketBroadcast(.signal) { json in
            json.object { json in
                signal.scope.argument.write(to: &json)
                json.key("from")
                json.string(signal.from.text)
                json.key(signal.content.rawValue)
                json.raw(signal.json)
                if let number = signal.number { json.number(number) }
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
    /// An object of texts, and what `more` adds to it.
    package mutating func fields(_ fields: (String, String)..., more: (inout JSONWriter) -> Void = { _ in }) {
        self.fields(fields, more: more)
    }

    mutating func fields(_ fields: [(String, String)], more: (inout JSONWriter) -> Void) {
        self.object { json in
            for (name, value) in fields {
                json.key(name)
                json.string(value)
            }
            more(&json)
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
    package mutating func error(_ error: RequestError) {
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
