package import Calling
internal import Clustering
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
    /// Who may send others away.
    package let host: UserID?
    /// The others, in the order they came; the newcomer offers to each of them. Empty in a room too large for that.
    package let others: [Person]
}

extension Switchboard {
    /// - Parameter key: of a room that is there, what is shown to come in; of one that is opened so, what it asks of others.
    package func join(
        _ room: RoomName, _ guest: Guest, replacing old: SessionID? = nil, _ key: RoomKey = RoomKey(),
        _ answer: @escaping (Result<RoomView, RequestError>) -> Void
    ) {
        let isGuess = key.password != nil && self.rooms[room]?.asksPassword(of: guest.user) == true
        let user = guest.user
        do throws(RequestError) {
            if isGuess { try self.roomGuesses.began(by: user, at: room, self.now) }
            let proof = self.proof(of: key, in: room)
            let entry = SharedChange.RoomEntry(replaced: old, proof: proof, rule: try Self.rule(key))
            self.submit(.join(room, guest.line, entry)) { [unowned self] result in
                guard case .success(.room(let view)) = result else {
                    // Another node had opened the room before, and what its password is salted with is known by now.
                    if result.error.code == .wrongPassword, proof != self.proof(of: key, in: room) {
                        return self.join(room, guest, replacing: old, key, answer)
                    }
                    return answer(.failure(result.error))
                }
                if isGuess { self.roomGuesses.succeeded(by: user, at: room) }
                answer(.success(view))
            }
        } catch {
            answer(.failure(error))
        }
    }

    /// Of a room that is not known yet it is empty.
    private func proof(of key: RoomKey, in room: RoomName) -> [UInt8]? {
        key.password.map { self.rooms[room]?.proof(of: $0) ?? [] }
    }

    func join(_ room: RoomName, _ line: Line, _ entry: SharedChange.RoomEntry) throws(RequestError) {
        try self.checkRoom(room, entry.rule, for: line)
        do throws(RoomRefusal) {
            try self.changeRoom(room) { machine, outbox throws(RoomRefusal) in
                _ = try machine.joined(line, replacing: entry.replaced, proof: entry.proof, into: &outbox)
            }
        } catch {
            // A wrong guess counts on all nodes; where it was made it has counted already.
            if error == .wrongPassword, !self.isOrigin, entry.proof != [] {
                try? self.roomGuesses.began(by: line.user, at: room, self.now)
            }
            throw RequestError(error, room)
        }
        self.seated(line.session, in: room, true)
    }

    private func checkRoom(_ room: RoomName, _ rule: RoomRule, for line: Line) throws(RequestError) {
        let rooms = self.rooms(of: line)
        guard rooms.contains(room) || rooms.count < self.settings.maximumRoomsPerUser else {
            throw RequestError(.tooManyRooms, "one user is in at most \(self.settings.maximumRoomsPerUser) rooms")
        }
        guard self.rooms[room] == nil else { return }
        guard self.rooms.count < self.settings.maximumRooms else {
            throw RequestError(.unavailable, "there is no place for another room", retryAfter: .seconds(30))
        }
        self.rooms[room] = RoomMachine(settings: self.roomSettings, rule: rule)
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
    private func rooms(of line: Line) -> [RoomName] {
        let own = self.rooms(of: line.session)
        let lines = self.presence.lines(of: line.user)
        guard lines.count > 1 else { return own }
        return (own + lines.prefix(Self.maximumLinesAsked).flatMap { self.rooms(of: $0) }).withoutDuplicates
    }

    private static let maximumLinesAsked = 64

    package func leave(_ room: RoomName, _ guest: Guest, _ answer: @escaping SharedAnswer = { _ in }) {
        self.submit(.leave(room, guest.line), answer)
    }

    func leave(_ room: RoomName, _ line: Line) {
        self.seated(line.session, in: room, false)
        self.changeRoom(room) { machine, outbox in _ = machine.left(line.session, into: &outbox) }
    }

    /// A member keeps what is said from now on, or no longer, and the others are told.
    package func record(in room: RoomName, _ isOn: Bool, _ guest: Guest, _ answer: @escaping SharedAnswer) {
        self.submit(.record(room, guest.line, since: isOn ? self.wallTime : nil), answer)
    }

    func record(in room: RoomName, _ line: Line, since start: WallTime?) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notMember, room) }
        do throws(RoomRefusal) {
            try self.changeRoom(room) { machine, outbox throws(RoomRefusal) in
                try machine.recorded(by: line, since: start, into: &outbox)
            }
        } catch {
            throw RequestError(error, room)
        }
    }

    package var roomSizes: [(room: RoomName, members: Int, rule: RoomRule)] {
        self.rooms.map { ($0.key, $0.value.count, $0.value.rule) }.sorted { $0.0.text < $1.0.text }
    }

    package func guests(in room: RoomName) -> [Guest] {
        self.rooms[room]?.members.compactMap { self.guests[$0.session] } ?? []
    }

    package func view(of room: RoomName, for line: Line) throws(RequestError) -> RoomView {
        guard let machine = self.rooms[room], machine.member(line.session) != nil else {
            throw RequestError(.notMember, room)
        }
        let introduced =
            machine.count <= self.settings.maximumIntroducedMembers ? machine.others(than: line.session) : []
        return RoomView(
            room: room, member: line.session, number: machine.number, count: machine.count, rule: machine.rule,
            host: machine.host,
            others: introduced.map { self.person($0.line, isAway: $0.isAway, recordingSince: $0.recordingSince) })
    }

    /// Something for one member of a room, or for all the others. Answers the event's number when it went to all.
    package func signal(
        _ content: SignalContent, _ json: [UInt8], attachments: [[UInt8]] = [], in room: RoomName,
        to target: SessionID?, from guest: Guest, _ answer: @escaping (Result<UInt64?, RequestError>) -> Void
    ) {
        let signal = RelayedSignal(.room(room), from: guest.session, content, json: json, attachments: attachments)
        do throws(RequestError) {
            guard let target else { return self.signal(signal, toAllIn: room, from: guest, answer) }
            try self.signal(signal, in: room, to: target, from: guest.line)
            answer(.success(nil))
        } catch {
            answer(.failure(error))
        }
    }

    private func signal(
        _ signal: RelayedSignal, in room: RoomName, to target: SessionID, from line: Line
    ) throws(RequestError) {
        let route: RelayRoute
        do throws(RoomRefusal) {
            guard let machine = self.rooms[room] else { throw .notAMember }
            route = try machine.relay(from: line, to: target)
        } catch {
            throw RequestError(error, room)
        }
        switch route {
        case .deliver(let session), .keep(let session): try self.deliver(signal, to: session)
        case .deliverToOthers, .unknownTarget:
            throw RequestError(.notFound, "no member of \(room.text) has this name any more")
        }
    }

    private func signal(
        _ signal: RelayedSignal, toAllIn room: RoomName, from guest: Guest,
        _ answer: @escaping (Result<UInt64?, RequestError>) -> Void
    ) {
        self.submit(.relay(signal, room, guest.line)) { result in
            guard case .success(.number(let number)) = result else { return answer(.failure(result.error)) }
            answer(.success(number))
        }
    }

    func relay(_ signal: RelayedSignal, in room: RoomName, from line: Line) throws(RequestError) -> UInt64 {
        do throws(RoomRefusal) {
            guard self.rooms[room] != nil else { throw .notAMember }
            // Changed in place: a copy of the machine would copy its members.
            let route = try self.rooms[room, default: RoomMachine()].relayToOthers(from: line)
            guard case .deliverToOthers(let number) = route else { throw .notAMember }
            var signal = signal
            signal.number = number
            if let machine = self.rooms[room] { self.tell(.signal(signal), toMembersOf: machine, except: line.session) }
            return number
        } catch {
            throw RequestError(error, room)
        }
    }
}

// MARK: - Who may come in

extension Switchboard {
    /// Asks the members to be let in.
    package func knock(at room: RoomName, _ guest: Guest, _ answer: @escaping SharedAnswer) {
        self.submit(.knock(room, guest.line), answer)
    }

    func knock(at room: RoomName, _ line: Line) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notFound, "there is no room \(room.text)") }
        let now = self.moment
        let isNews = try self.asking(room) { machine throws(RoomRefusal) in
            try machine.knocked(line.user, at: now)
        }
        guard isNews else { return self.tell(.admitted(room), to: line.session) }
        guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else { return }
        self.tell(.knocked(room, self.person(line)), toMembersOf: machine, except: nil)
    }

    /// Lets a user in, whether they asked for it or not. Who asked is told.
    package func admit(_ user: UserID, to room: RoomName, by guest: Guest, _ answer: @escaping SharedAnswer) {
        self.submit(.admit(user, room, guest.line), answer)
    }

    func admit(_ user: UserID, to room: RoomName, by line: Line) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notMember, room) }
        let hasKnocked = try self.asking(room) { machine throws(RoomRefusal) in
            try machine.admitted(user, by: line)
        }
        if hasKnocked { self.tell(.admitted(room), to: Set(self.presence.lines(of: user))) }
    }

    /// Sends a user away, on all their lines.
    ///
    /// - Parameter guest: the host; nil is an operator.
    package func remove(
        _ user: UserID, from room: RoomName, isBanned: Bool, by guest: Guest?, _ answer: @escaping SharedAnswer
    ) {
        self.submit(.remove(user, room, by: guest?.line, isBanned: isBanned), answer)
    }

    func remove(_ user: UserID, from room: RoomName, by line: Line?, isBanned: Bool) throws(RequestError) {
        guard self.rooms[room] != nil else { throw RequestError(.notFound, "there is no room \(room.text)") }
        do throws(RoomRefusal) {
            try self.changeRoom(room) { machine, outbox throws(RoomRefusal) in
                try machine.removed(user, by: line, isBanned: isBanned, into: &outbox)
            }
        } catch {
            throw RequestError(error, room)
        }
    }

    /// What an operator asks of those who come in from now on. Answers whether there is such a room.
    package func protect(
        _ room: RoomName, _ key: RoomKey, _ answer: @escaping (Result<Bool, RequestError>) -> Void
    ) {
        do throws(RequestError) {
            self.submit(.protect(room, try Self.rule(key))) { result in
                guard case .success(.found(let isThere)) = result else { return answer(.failure(result.error)) }
                answer(.success(isThere))
            }
        } catch {
            answer(.failure(error))
        }
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
                self.note(event, of: room)
                guard let machine = self.rooms[room], machine.count <= self.settings.maximumIntroducedMembers else {
                    continue
                }
                self.tell(self.notice(of: event, in: room), toMembersOf: machine, except: except)
            case .dismiss(let session, let reason):
                self.seated(session, in: room, false)
                self.tell(.dismissed(room, reason), to: session)
            case .host(let user): self.tellHost(user, of: room)
            case .ended:
                self.rooms[room] = nil
                self.happened(.room(room, .ended))
            }
        }
    }

    /// In a room too large for introductions those hear it whom it concerns.
    private func tellHost(_ user: UserID, of room: RoomName) {
        guard let machine = self.rooms[room] else { return }
        if machine.count <= self.settings.maximumIntroducedMembers {
            self.tell(.host(room, user), toMembersOf: machine, except: nil)
        } else {
            self.tell(.host(room, user), to: Set(self.presence.lines(of: user)))
        }
    }

    /// For the other parts of the server.
    private func note(_ event: RoomAnnouncement, of room: RoomName) {
        for news in RoomNews.news(event) { self.happened(.room(room, news)) }
    }

    private func notice(of event: RoomAnnouncement, in room: RoomName) -> Notice {
        switch event.content {
        case .joined(let line): .joined(room, self.person(line), number: event.number)
        case .away(let session): .away(room, session, number: event.number)
        case .back(let session): .back(room, session, number: event.number)
        case .recording(let session, let start): .recording(room, session, since: start, number: event.number)
        case .gone(let line, let reason): .gone(room, line.session, reason, number: event.number)
        }
    }

    func armRoom(_ room: RoomName) {
        if let alarm = self.roomAlarms.removeValue(forKey: room) { self.scheduler.cancel(alarm) }
        guard let deadline = self.rooms[room]?.deadline else { return }
        self.roomAlarms[room] = self.scheduler.schedule(after: self.wait(until: deadline)) { [unowned self] in
            self.roomAlarms[room] = nil
            guard deadline <= self.sharedNow else { return self.armRoom(room) }
            self.submit(.roomTick(room))
        }
    }

    func timePassed(in room: RoomName) {
        let now = self.moment
        self.changeRoom(room) { machine, outbox in machine.clockAdvanced(to: now, into: &outbox) }
    }
}

extension Result where Success == SharedOutcome, Failure == RequestError {
    /// Why it did not become what it should.
    var error: RequestError {
        if case .failure(let error) = self {
            error
        } else {
            RequestError(.unavailable, "another outcome than expected")
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
        case .banned: self.init(.banned, "you may not come into \(room.text) any more")
        case .tooManyBanned: self.init(.conflict, "no more users can be banned from \(room.text)")
        case .notHost: self.init(.forbidden, "the host of \(room.text) may do this, to others")
        case .notThere: self.init(.notFound, "this user is not in \(room.text)")
        }
    }

    fileprivate init(_ code: Code, _ room: RoomName) { self.init(code, "you are not in \(room.text)") }
}
