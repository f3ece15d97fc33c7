internal import Calling
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
    /// The others, in the order they came; the newcomer offers to each of them. Empty in a room too large for that.
    package let others: [Person]
}

extension Switchboard {
    package func join(_ room: RoomName, _ guest: Guest, replacing old: SessionID? = nil) throws(RequestError)
        -> RoomView
    {
        try self.checkRoom(room, for: guest)
        do throws(RoomRefusal) {
            try self.changeRoom(room) { machine, outbox throws(RoomRefusal) in
                _ = try machine.joined(guest.line, replacing: old, into: &outbox)
            }
        } catch {
            throw RequestError(error, room)
        }
        guest.rooms.insert(room)
        return try self.view(of: room, for: guest)
    }

    private func checkRoom(_ room: RoomName, for guest: Guest) throws(RequestError) {
        let rooms = self.rooms(of: guest)
        guard rooms.contains(room) || rooms.count < self.settings.maximumRoomsPerUser else {
            throw RequestError(.tooManyRooms, "one user is in at most \(self.settings.maximumRoomsPerUser) rooms")
        }
        guard self.rooms[room] == nil else { return }
        guard self.rooms.count < self.settings.maximumRooms else {
            throw RequestError(.unavailable, "there is no place for another room", retryAfter: .seconds(30))
        }
        self.rooms[room] = RoomMachine(settings: self.settings.rooms)
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

    package var roomSizes: [(room: RoomName, members: Int)] {
        self.rooms.map { ($0.key, $0.value.count) }.sorted { $0.0.text < $1.0.text }
    }

    package func guests(in room: RoomName) -> [Guest] {
        self.rooms[room]?.members.compactMap { self.guests[$0.session] } ?? []
    }

    package func view(of room: RoomName, for guest: Guest) throws(RequestError) -> RoomView {
        guard let machine = self.rooms[room], machine.member(guest.session) != nil else {
            throw RequestError(.notMember, "you are not in \(room.text)")
        }
        let introduced =
            machine.count <= self.settings.maximumIntroducedMembers ? machine.others(than: guest.session) : []
        return RoomView(
            room: room, member: guest.session, number: machine.number, count: machine.count,
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
                guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else {
                    continue
                }
                self.tell(self.notice(of: event, in: room), toMembersOf: machine, except: except)
            case .dismiss(let session, let reason):
                self.guests[session]?.rooms.remove(room)
                self.tell(.dismissed(room, reason), to: session)
            case .ended:
                self.rooms[room] = nil
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
        case .ended, .notAMember: self.init(.notMember, "you are not in \(room.text)")
        case .notYours: self.init(.forbidden, "this member is another user")
        }
    }
}
