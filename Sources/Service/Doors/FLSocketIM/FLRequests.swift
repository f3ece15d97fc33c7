internal import Bytes
internal import Calling
internal import JSON
internal import Operations
internal import Pacing
internal import Reactor
internal import SocketServer
internal import Switchboard
internal import Vocabulary

/// What FLSocketIM's apps ask for, put as calls of the switchboard. A call of theirs is a room.
///
/// Their apps cannot be told "busy" or "no answer"; what they understand is that the other side refused.
final class FLRequests {
    private let board: Switchboard
    private let scheduler: any Scheduler
    private var random = SystemRandomNumberGenerator()
    /// The lines of all users of this dialect, by user name.
    private var lines: [String: [Guest]] = [:]
    /// Rooms that ring: who is rung, until a callee comes or the time is over.
    private var rings: [RoomName: Ring] = [:]
    /// The rooms in which a caller lets others ring, by user name, the oldest first.
    private var ringing: [String: [RoomName]] = [:]

    /// Bytes that each line may still broadcast.
    private var loudness: [SessionID: TokenBucket] = [:]
    private static let loudnessRate = TokenBucket.Rate(
        perSecond: 262_144, burst: Double(FLChat.maximumRelayedBytes))

    private struct Ring {
        let caller: Guest
        let callee: String
        let timer: TimerToken
        /// Why the caller is to be told at once that no callee will come.
        let isHopeless: Bool
    }

    private let settings: CallSettings
    private let chat: FLChat

    init(_ dependencies: DoorDependencies) {
        self.board = dependencies.board
        self.chat = FLChat(dependencies)
        self.scheduler = dependencies.reactor
        self.settings = dependencies.calls
    }

    func entered(_ guest: Guest) {
        self.lines[guest.name.text, default: []].append(guest)
        self.chat.entered(guest)
    }

    func left(_ guest: Guest) {
        self.chat.left(guest)
        self.loudness[guest.session] = nil
        self.lines[guest.name.text]?.removeAll { $0 === guest }
        if self.lines[guest.name.text]?.isEmpty == true { self.lines[guest.name.text] = nil }
        for room in self.ringing[guest.name.text] ?? [] where self.rings[room]?.caller === guest {
            self.nobodyCame(to: room)
        }
    }

    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from guest: Guest) {
        // The apps wait for no errors, and would not know what to do with one.
        guard (try? self.board.allow(guest)) != nil, event.argumentCount <= 1 else { return }
        let fields = JSONObject(proven: bytes, in: event.arguments)
        let name = JSONReader(bytes).text(at: event.name) ?? ""
        switch name {
        case "videoChat": self.ring(fields, event, by: guest)
        case "__join": self.join(fields, guest)
        case "__offer", "__answer": self.describe(fields, event, guest)
        case "__ice_candidate": self.propose(fields, guest)
        case "closeRoom": self.hangUp(guest)
        case "cancelVideoChat": self.refuse(fields, guest)
        case "liaotian": self.talk(event, bytes, by: guest)
        default: self.chat.received(name, [UInt8](copying: bytes.extracting(event.arguments)), in: event, from: guest)
        }
    }
}

// MARK: - Ringing

extension FLRequests {
    /// The answer is the bare name of the room, in which the caller waits.
    private func ring(_ fields: borrowing JSONObject, _ event: SocketEvent, by guest: Guest) {
        guard let callee = fields["to_user", .text], let room = RoomName(UUIDText.make(using: &self.random)) else {
            return
        }
        let devices = self.listeners(callee, to: guest)
        let isBusy = devices.contains { !$0.rooms.isEmpty }
        self.startRinging(room, callee, by: guest, isHopeless: devices.isEmpty || isBusy)
        if let ackID = event.ackID { guest.socket.answer(ackID) { $0.string(room.text) } }
        guard !isBusy else { return }
        for device in devices where device.session != guest.session {
            self.ring(device, from: guest, room: room, kind: fields["chat_type", .integer])
        }
    }

    /// The lines of a user who wants to hear from the other one: a blocked user finds them away.
    private func listeners(_ name: String, to guest: Guest) -> [Guest] {
        (self.lines[name] ?? []).filter { !self.board.isBlocked(guest.user, by: $0.user) }
    }

    /// With an ack, as their server does; the apps do not answer it.
    private func ring(_ device: Guest, from guest: Guest, room: RoomName, kind: Int?) {
        device.socket.emit("videoChat") { json in
            json.fields(("from_user", guest.name.text), ("room", room.text)) { $0.optional("chat_type", kind) }
        } answer: { _ in
        }
    }

    /// The apps have no word for "too many calls" either: a caller who rings yet another gives up the one that has rung for
    /// the longest.
    private func startRinging(_ room: RoomName, _ callee: String, by guest: Guest, isHopeless: Bool) {
        let others = self.ringing[guest.name.text] ?? []
        if others.count >= self.settings.maximumCallsPerUser, let oldest = others.first { self.nobodyCame(to: oldest) }
        let timer = self.scheduler.schedule(after: self.settings.ringTime) { [weak self] in
            self?.nobodyCame(to: room)
        }
        self.rings[room] = Ring(caller: guest, callee: callee, timer: timer, isHopeless: isHopeless)
        self.ringing[guest.name.text, default: []].append(room)
    }

    private func nobodyCame(to room: RoomName) {
        guard let ring = self.stopRinging(room) else { return }
        for device in self.listeners(ring.callee, to: ring.caller) { self.sayRefused(to: device) }
        self.sayRefused(toAllIn: room)
    }

    @discardableResult
    private func stopRinging(_ room: RoomName) -> Ring? {
        guard let ring = self.rings.removeValue(forKey: room) else { return nil }
        self.scheduler.cancel(ring.timer)
        let caller = ring.caller.name.text
        self.ringing[caller]?.removeAll { $0 == room }
        if self.ringing[caller]?.isEmpty == true { self.ringing[caller] = nil }
        return ring
    }

    private func sayRefused(to guest: Guest) {
        guest.socket.emit("cancelVideoChat") { $0.object { _ in } }
    }

    /// Only those of this dialect would know what it means.
    private func sayRefused(toAllIn room: RoomName) {
        for guest in self.board.guests(in: room) where self.speaks(guest) { self.sayRefused(to: guest) }
    }

    private func speaks(_ guest: Guest) -> Bool {
        self.lines[guest.name.text]?.contains { $0 === guest } ?? false
    }

    /// A callee may refuse, for all their devices; so may who is in the room.
    private func refuse(_ fields: borrowing JSONObject, _ guest: Guest) {
        guard let room = fields.room else { return }
        if self.rings[room]?.callee == guest.name.text { return self.nobodyCame(to: room) }
        guard guest.rooms.contains(room) else { return }
        if self.rings[room] != nil { self.nobodyCame(to: room) } else { self.sayRefused(toAllIn: room) }
    }
}

// MARK: - In a room

extension FLRequests {
    private func join(_ fields: borrowing JSONObject, _ guest: Guest) {
        guard let room = fields.room else { return }
        self.board.join(room, guest) { [weak self] result in
            if case .success(let view) = result { self?.joined(room, guest, view) }
        }
    }

    private func joined(_ room: RoomName, _ guest: Guest, _ view: RoomView) {
        guest.socket.emit("_peers") { json in
            json.object { json in
                json.array("connections", of: view.others) { $0.string($1.session.text) }
                json.field("you", view.member.text)
            }
        }
        guard let ring = self.rings[room] else { return }
        if guest !== ring.caller {
            self.answered(room, by: guest)
        } else if ring.isHopeless {
            self.nobodyCame(to: room)
        }
    }

    /// The other devices of the one who took the call stop ringing.
    private func answered(_ room: RoomName, by guest: Guest) {
        guard let ring = self.stopRinging(room) else { return }
        for device in self.lines[ring.callee] ?? [] where device.session != guest.session && device.rooms.isEmpty {
            self.sayRefused(to: device)
        }
    }

    private func describe(_ fields: borrowing JSONObject, _ event: SocketEvent, _ guest: Guest) {
        guard let value = fields.value("sdp") else { return }
        self.signal(.description, event.extract(value.range, of: fields.reader.bytes), to: fields, from: guest)
    }

    private func propose(_ fields: borrowing JSONObject, _ guest: Guest) {
        guard let line = fields["candidate", .text] else { return }
        let candidate = FLCandidate(mid: fields["id", .text] ?? "", index: fields["label", .integer] ?? 0, line: line)
        self.signal(.candidate, BinaryJSON(json: candidate.native), to: fields, from: guest)
    }

    /// To a member of a room that both are in; anybody else is out of reach, and a peer that has just gone is no error.
    private func signal(
        _ content: SignalContent, _ signal: BinaryJSON, to fields: borrowing JSONObject, from guest: Guest
    ) {
        guard signal.byteCount <= FLChat.maximumRelayedBytes,
            let target = fields["socketId", .text].flatMap({ SessionID($0) }),
            let room = self.board.rooms(of: target).first(where: guest.rooms.contains)
        else { return }
        self.board.signal(
            content, signal.json, attachments: signal.attachments, in: room, to: target, from: guest
        ) { _ in }
    }

    private func hangUp(_ guest: Guest) {
        for room in guest.rooms {
            self.board.leave(room, guest)
            if self.rings[room]?.caller === guest { self.nobodyCame(to: room) }
        }
    }

    /// Site-wide chat: to all others, and not kept. A client that says so much that others could not
    /// keep up is not heard for a while.
    private func talk(_ event: SocketEvent, _ bytes: Span<UInt8>, by guest: Guest) {
        let words = event.extract(event.arguments, of: bytes)
        let length = Double(words.byteCount)
        let now = self.board.now
        let fresh = TokenBucket(Self.loudnessRate, at: now)
        guard self.loudness[guest.session, default: fresh].take(length, at: now) == nil else { return }
        let broadcast = SocketBroadcast("liaotian", attachments: words.attachments) { $0.raw(words.json) }
        for other in self.lines.values.joined() where other !== guest {
            if !self.board.isBlocked(guest.user, by: other.user) { broadcast.sendShared(to: other.socket) }
        }
    }
}

extension JSONObject {
    /// Rooms of theirs are UUIDs, which some write in capitals.
    fileprivate var room: RoomName? { self["room", .text].flatMap { RoomName($0.lowercased()) } }
}
