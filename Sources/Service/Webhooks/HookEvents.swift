internal import Calling
internal import JSON
internal import Journal
internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary

/// Writes down what happens beside messages for another program that wants to hear of it: calls, rooms, who is there. From there it is
/// told as entries are. Lives on the home loop.
final class HookEvents {
    private let topics: Set<HookTopic>
    private let store: any Store
    private let errands: Errands
    private let reactor: Reactor
    private let journal: Journal

    init(_ topics: Set<HookTopic>, _ store: any Store, _ errands: Errands, on reactor: Reactor, _ journal: Journal) {
        self.topics = topics
        self.store = store
        self.errands = errands
        self.reactor = reactor
        self.journal = journal
    }

    // MARK: - Calls

    func started(_ call: CallInvitation) {
        self.add(.calls, "call.started", about: call.id.text) { json in
            json.call(call.id, call.kind, from: call.caller.user, to: call.callee)
        }
    }

    func answered(_ call: RunningCall) {
        self.add(.calls, "call.answered", about: call.id.text) { json in
            json.call(call.id, call.kind, from: call.caller.user, to: call.callee.user)
        }
    }

    func ended(_ call: CallRecord) {
        self.add(.calls, "call.ended", about: call.id.text) { json in
            json.call(call.id, call.kind, from: call.caller, to: call.callee)
            json.field("outcome", call.outcome.rawValue)
            json.optional("by", call.endedBy?.text)
            json.optional("seconds", call.answered.map { $0.duration(to: call.ended).components.seconds })
        }
    }

    // MARK: - Rooms

    func happened(in room: RoomName, _ news: RoomNews) {
        guard self.topics.contains(.rooms) else { return }
        switch news {
        case .joined(let line, let isFirst):
            if isFirst { self.add("room.opened", room) { _ in } }
            self.add("room.joined", room) { json in
                json.field("user", line.user.text)
                json.field("member", line.session.text)
            }
        case .gone(let session, let user, let departure):
            self.add("room.left", room) { json in
                json.optional("user", user?.text)
                json.field("member", session.text)
                json.field("reason", departure.rawValue)
            }
        case .ended:
            self.add("room.closed", room) { _ in }
        }
    }

    private func add(_ event: String, _ room: RoomName, _ members: (inout JSONWriter) -> Void) {
        self.add(.rooms, event, about: "room \(room.text)") { json in
            json.field("room", room.text)
            members(&json)
        }
    }

    // MARK: - Presence

    func presence(of user: UserID, isOnline: Bool) {
        self.add(.presence, "presence", about: "user \(user.text)") { json in
            json.field("user", user.text)
            json.field("online", isOnline)
        }
    }

    private func add(_ topic: HookTopic, _ event: String, about subject: String, _ members: (inout JSONWriter) -> Void)
    {
        guard self.topics.contains(topic) else { return }
        let json = JSONWriter.object { json in
            json.field("event", event)
            json.field("time", SystemClock.now().milliseconds)
            members(&json)
        }
        let request = AddEvent(String(decoding: json, as: UTF8.self), about: subject)
        self.store.send(
            request,
            self.reactor.returning { [errands, journal] result in
                if case .failure(let error) = result {
                    journal.error(.hookEventLost, "an event could not be written down", [.error: .error(error)])
                }
                errands.call()
            })
    }
}

extension JSONWriter {
    fileprivate mutating func call(_ id: CallID, _ kind: CallKind, from caller: UserID, to callee: UserID) {
        self.field("call", id.text)
        self.field("kind", kind.rawValue)
        self.field("from", caller.text)
        self.field("to", callee.text)
    }
}

extension LogName {
    static let hookEventLost = LogName("webhook.event_lost")
}
