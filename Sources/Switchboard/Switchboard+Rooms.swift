package import Calling
internal import Hashing
package import Operations
internal import Reactor
package import Vocabulary

/// What a newcomer learns of a room.
package struct RoomView: Hashable, Sendable {
    package let room: RoomName
    /// The newcomer's own name among the members.
    package let member: SessionID
    /// The room's latest event: what follows has higher numbers.
    package let number: UInt64
    /// How many are in it, the newcomer included.
    package let count: Int
    package let rule: RoomRule
    /// The others, in the order they came; the newcomer offers to each of them. Empty in a room too large for that.
    package let others: [Person]
}

extension Switchboard {
    /// - Parameter key: of a room that is there, what is shown to come in; of one that is opened so, what it asks of others.
    package func join(
        _ room: RoomName, _ guest: Guest, replacing old: SessionID? = nil, _ key: RoomKey = RoomKey()
    ) throws(RequestError) -> RoomView {
        try self.checkRoom(room, key, for: guest)
        let isGuess = key.password != nil && self.rooms[room]?.asksPassword(of: guest.user) == true
        if isGuess { try self.roomGuesses.began(by: guest.user, at: room, self.now) }
        do throws(RoomRefusal) {
            try self.changeRoom(room) { machine, outbox throws(RoomRefusal) in
                _ = try machine.joined(guest.line, replacing: old, showing: key.password, into: &outbox)
            }
        } catch {
            throw RequestError(error, room)
        }
        if isGuess { self.roomGuesses.succeeded(by: guest.user, at: room) }
        guest.rooms.insert(room)
        return try self.view(of: room, for: guest)
    }

    private func checkRoom(_ room: RoomName, _ key: RoomKey, for guest: Guest) throws(RequestError) {
        let rooms = self.rooms(of: guest)
        guard rooms.contains(room) || rooms.count < self.settings.maximumRoomsPerUser else {
            throw RequestError(.tooManyRooms, "one user is in at most \(self.settings.maximumRoomsPerUser) rooms")
        }
        guard self.rooms[room] == nil else { return }
        guard self.rooms.count < self.settings.maximumRooms else {
            throw RequestError(.unavailable, "there is no place for another room", retryAfter: .seconds(30))
        }
        self.rooms[room] = RoomMachine(settings: self.settings.rooms, rule: try Self.rule(key))
    }

    private static func rule(_ key: RoomKey) throws(RequestError) -> RoomRule {
        guard let password = key.password else { return key.isByInvitation ? .invitation : .open }
        guard !key.isByInvitation else {
            throw RequestError(.badRequest, "a room has a password or is by invitation, not both")
        }
        return self.rule(password: password)
    }

    private static func rule(password: String) -> RoomRule {
        var random = SecureRandom()
        return .password(RoomPassword(password, salt: random.bytes(16)))
    }

    /// Everywhere the user is. Beyond so many lines each counts for itself, so that asking costs no more for a user with
    /// thousands of them.
    private func rooms(of guest: Guest) -> Set<RoomName> {
        let lines = self.presence.lines(of: guest.user)
        guard lines.count > 1 else { return guest.rooms }
        return lines.prefix(Self.maximumLinesAsked).reduce(into: guest.rooms) { rooms, line in
            if let other = self.guests[line] { rooms.formUnion(other.rooms) }
        }
    }

    private static let maximumLinesAsked = 64

    package func leave(_ room: RoomName, _ guest: Guest) {
        guest.rooms.remove(room)
        self.changeRoom(room) { machine, outbox in _ = machine.left(guest.session, into: &outbox) }
    }

    package var roomSizes: [(room: RoomName, members: Int, rule: RoomRule)] {
        self.rooms.map { ($0.key, $0.value.count, $0.value.rule) }.sorted { $0.0.text < $1.0.text }
    }

    package func guests(in room: RoomName) -> [Guest] {
        self.rooms[room]?.members.compactMap { self.guests[$0.session] } ?? []
    }

    package func view(of room: RoomName, for guest: Guest) throws(RequestError) -> RoomView {
        guard let machine = self.rooms[room], machine.member(guest.session) != nil else {
            throw RequestError(.notMember, room)
        }
        let introduced =
            machine.count <= self.settings.maximumIntroducedMembers ? machine.others(than: guest.session) : []
        return RoomView(
            room: room, member: guest.session, number: machine.number, count: machine.count, rule: machine.rule,
            others: introduced.map { self.person($0.line, isAway: $0.isAway) })
    }

    /// Something for one member of a room, or for all the others. Answers the event's number when it went to all.
    @discardableResult
    package func signal(
        _ content: SignalContent, _ json: [UInt8], attachments: [[UInt8]] = [], in room: RoomName,
        to target: SessionID?, from guest: Guest
    ) throws(RequestError) -> UInt64? {
        let route = try self.route(in: room, to: target, from: guest)
        var signal = RelayedSignal(.room(room), from: guest.session, content, json: json, attachments: attachments)
        switch route {
        case .deliver(let session), .keep(let session):
            self.tell(.signal(signal), to: session)
            return nil
        case .deliverToOthers(let number):
            signal.number = number
            guard let machine = self.rooms[room] else { return nil }
            self.tell(.signal(signal), toMembersOf: machine, except: guest.session)
            return number
        case .unknownTarget:
            throw RequestError(.notFound, "no member of \(room.text) has this name any more")
        }
    }

    private func route(
        in room: RoomName, to target: SessionID?, from guest: Guest
    ) throws(RequestError) -> RelayRoute {
        do throws(RoomRefusal) {
            guard let machine = self.rooms[room] else { throw .notAMember }
            if let target { return try machine.relay(from: guest.line, to: target) }
            // Changed in place: a copy of the machine would copy its members.
            return try self.rooms[room, default: RoomMachine()].relayToOthers(from: guest.line)
        } catch {
            throw RequestError(error, room)
        }
    }
}

// MARK: - Who may come in

extension Switchboard {
    /// Asks the members to be let in.
    package func knock(at room: RoomName, _ guest: Guest) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notFound, "there is no room \(room.text)") }
        let now = self.now
        let isNews = try self.asking(room) { machine throws(RoomRefusal) in
            try machine.knocked(guest.user, at: now)
        }
        guard isNews else { return self.tell(.admitted(room), to: guest.session) }
        guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else { return }
        self.tell(.knocked(room, self.person(guest.line)), toMembersOf: machine, except: nil)
    }

    /// Lets a user in, whether they asked for it or not. Who asked is told.
    package func admit(_ user: UserID, to room: RoomName, by guest: Guest) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notMember, room) }
        let hasKnocked = try self.asking(room) { machine throws(RoomRefusal) in
            try machine.admitted(user, by: guest.line)
        }
        if hasKnocked { self.tell(.admitted(room), to: Set(self.presence.lines(of: user))) }
    }

    /// What an operator asks of those who come in from now on. False when there is no such room.
    package func protect(_ room: RoomName, _ key: RoomKey) throws(RequestError) -> Bool {
        let rule = try Self.rule(key)
        return self.rooms[room]?.protected(by: rule) != nil
    }

    private func asking<Answer>(
        _ room: RoomName, _ event: (inout RoomMachine) throws(RoomRefusal) -> Answer
    ) throws(RequestError) -> Answer {
        do throws(RoomRefusal) {
            return try event(&self.rooms[room, default: RoomMachine()])
        } catch {
            throw RequestError(error, room)
        }
    }
}

// MARK: - Orders

extension Switchboard {
    /// Lets a room decide, then does what it wants done.
    func changeRoom<Failure: Error>(
        _ room: RoomName, _ event: (inout RoomMachine, inout RoomOutbox) throws(Failure) -> Void
    ) throws(Failure) {
        guard self.rooms[room] != nil else { return }
        var outbox = RoomOutbox()
        swap(&outbox, &self.roomOutbox)
        defer {
            self.carryOut(outbox.orders, of: room)
            outbox.removeAll()
            swap(&outbox, &self.roomOutbox)
            self.armRoom(room)
        }
        try event(&self.rooms[room, default: RoomMachine()], &outbox)
    }

    private func carryOut(_ orders: [RoomOutbox.Order], of room: RoomName) {
        for order in orders {
            switch order {
            case .announce(let event, let except):
                if let news = RoomNews(event) { self.onRoom(room, news) }
                guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else {
                    continue
                }
                self.tell(self.notice(of: event, in: room), toMembersOf: machine, except: except)
            case .dismiss(let session, let reason):
                self.guests[session]?.rooms.remove(room)
                self.tell(.dismissed(room, reason), to: session)
            case .ended:
                self.rooms[room] = nil
                self.onRoom(room, .ended)
            }
        }
    }

    private func notice(of event: RoomAnnouncement, in room: RoomName) -> Notice {
        switch event.content {
        case .joined(let line): .joined(room, self.person(line), number: event.number)
        case .away(let session): .away(room, session, number: event.number)
        case .back(let session): .back(room, session, number: event.number)
        case .gone(let session, let reason): .gone(room, session, reason, number: event.number)
        }
    }

    private func armRoom(_ room: RoomName) {
        if let alarm = self.roomAlarms.removeValue(forKey: room) { self.scheduler.cancel(alarm) }
        guard let deadline = self.rooms[room]?.deadline else { return }
        let delay = max(.zero, self.now.duration(to: deadline))
        self.roomAlarms[room] = self.scheduler.schedule(after: delay) { [unowned self] in
            self.roomAlarms[room] = nil
            let now = self.now
            self.changeRoom(room) { machine, outbox in machine.clockAdvanced(to: now, into: &outbox) }
        }
    }
}

extension RequestError {
    init(_ refusal: RoomRefusal, _ room: RoomName) {
        switch refusal {
        case .full: self.init(.roomFull, "\(room.text) is full")
        case .ended, .notAMember: self.init(.notMember, room)
        case .notYours: self.init(.forbidden, "this member is another user")
        case .passwordRequired: self.init(.passwordRequired, "\(room.text) has a password")
        case .wrongPassword: self.init(.wrongPassword, "this is not the password of \(room.text)")
        case .invitationRequired: self.init(.invitationRequired, "\(room.text) is by invitation; ask with room.knock")
        case .isOpen: self.init(.conflict, "anybody may come into \(room.text)")
        case .knockedBefore(let wait):
            self.init(.rateLimited, "too many ask to be let in", retryAfter: wait)
        case .tooManyAdmitted: self.init(.conflict, "no more users can be admitted to \(room.text)")
        }
    }

    fileprivate init(_ code: Code, _ room: RoomName) { self.init(code, "you are not in \(room.text)") }
}
