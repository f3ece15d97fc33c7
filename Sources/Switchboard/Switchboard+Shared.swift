internal import BinaryCoding
internal import Bytes
internal import Calling
package import Clustering
package import Operations
package import Vocabulary

/// Told what became of a change, once.
package typealias SharedAnswer = (Result<SharedOutcome, RequestError>) -> Void

// MARK: - One order for all

extension Switchboard {
    /// By the clock of all nodes.
    package var sharedNow: Instant { max(self.now + self.clockOffset, self.moment) }

    /// From now on changes get their places from this ledger.
    package func follow(_ ledger: any Ledger) {
        self.ledger = ledger
        self.early = []
    }

    /// Carries out a change, at once or when its place among those of all nodes has come.
    func submit(_ change: SharedChange, _ answer: SharedAnswer? = nil) {
        guard let ledger = self.ledger, !ledger.isAlone else {
            let outcome = self.outcome(of: change, .alone, at: self.sharedNow)
            answer?(outcome)
            return
        }
        if let early = self.early, early.count < Self.mostEarly {
            self.early?.append((change, answer))
            return
        }
        guard let serial = ledger.append(change) else {
            answer?(.failure(Self.unreachable))
            return
        }
        if let answer { self.pending[serial] = answer }
    }

    private static let mostEarly = 10_000

    static var unreachable: RequestError {
        RequestError(.unavailable, "the other servers cannot be reached", retryAfter: .seconds(1))
    }

    /// - Parameter node: whose change it is; nil for our own.
    private func outcome(
        of change: SharedChange, _ origin: ChangeOrigin, from node: RandomToken? = nil, at time: Instant
    ) -> Result<SharedOutcome, RequestError> {
        self.moment = max(self.moment, time)
        self.origin = origin
        do throws(RequestError) {
            return .success(try self.carryOut(change, from: node))
        } catch {
            return .failure(error)
        }
    }

    private func carryOut(_ change: SharedChange, from node: RandomToken?) throws(RequestError) -> SharedOutcome {
        switch change {
        case .opened(let line, let face): self.opened(line, face, on: node)
        case .lost(let line, let fellSilent): self.lost(line, fellSilent: fellSilent)
        case .closed(let line, let saidGoodbye): self.closed(line, saidGoodbye: saidGoodbye)
        case .join(let room, let line, let entry):
            try self.join(room, line, entry)
            // A view grows with the room, and only who came asks for it.
            if self.isOrigin { return .room(try self.view(of: room, for: line)) }
        case .leave(let room, let line): self.leave(room, line)
        case .knock(let room, let line): try self.knock(at: room, line)
        case .admit(let user, let room, let line): try self.admit(user, to: room, by: line)
        case .remove(let user, let room, let line, let isBanned):
            try self.remove(user, from: room, by: line, isBanned: isBanned)
        case .protect(let room, let rule): return .found(self.rooms[room]?.protected(by: rule) != nil)
        case .record(let room, let line, let start): try self.record(in: room, line, since: start)
        case .relay(let signal, let room, let line): return .number(try self.relay(signal, in: room, from: line))
        case .sentAway(let user): self.sendAway(user)
        case .moved(let line, let node): self.moved(line, to: node)
        case .tick: self.timePassed()
        case .roomTick(let room): self.timePassed(in: room)
        case .invite, .take, .act, .answers, .pushed, .resumed, .recordCall: return try self.carryOut(ofCall: change)
        }
        return .done
    }

    func happened(_ event: SharedEvent) {
        guard self.origin != .past else { return }
        self.lastEvent = self.lastEvent.next
        self.onEvent(event, self.lastEvent, self.origin)
    }

    private func timePassed() {
        self.presence.clockAdvanced(to: self.moment, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.clockAdvanced(to: self.moment, into: &self.callOutbox)
        self.carryOutCalls()
    }
}

// MARK: - Lines

extension Switchboard {
    private func opened(_ line: Line, _ face: ProfileSummary, on node: RandomToken?) {
        if self.noteOpened(line, on: node) {
            self.names.entered(line.user, as: face)
            self.onOpened(line)
        }
        self.presence.lineOpened(line, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.lineOpened(line, into: &self.callOutbox)
        self.carryOutCalls()
        for room in Self.inOrder(self.rooms(of: line.session)) {
            self.changeRoom(room) { machine, outbox in _ = machine.returned(line, into: &outbox) }
        }
    }

    /// True when the line was not there before, or was given up.
    private func noteOpened(_ line: Line, on node: RandomToken?) -> Bool {
        if let guest = self.guests[line.session] {
            defer { guest.isKnown = true }
            return !guest.isKnown
        }
        let known = self.strangers[line.session]
        var stranger = Stranger(line.user, on: node)
        stranger.rooms = known?.rooms ?? []
        stranger.wasSentTo = known?.wasSentTo ?? false
        self.strangers[line.session] = stranger
        return known?.isGone ?? true
    }

    private func lost(_ line: Line, fellSilent: Bool) {
        let now = self.moment
        self.presence.lineLost(line, at: now, into: &self.presenceOutbox)
        self.tellPresence()
        for room in Self.inOrder(self.rooms(of: line.session)) {
            self.changeRoom(room) { machine, outbox in
                machine.lineLost(line.session, fellSilent: fellSilent, at: now, into: &outbox)
            }
        }
        self.calls.lineLost(line, at: now, into: &self.callOutbox)
        self.carryOutCalls()
    }

    private func closed(_ line: Line, saidGoodbye: Bool) {
        let now = self.moment
        let departure: RoomDeparture = saidGoodbye ? .left : .lost
        for room in Self.inOrder(self.rooms(of: line.session)) {
            self.changeRoom(room) { machine, outbox in
                _ = machine.left(line.session, as: departure, into: &outbox)
            }
        }
        let known = self.strangers.removeValue(forKey: line.session)
        self.presence.lineClosed(line, at: now, into: &self.presenceOutbox)
        self.tellPresence()
        self.calls.lineLost(line, at: now, into: &self.callOutbox)
        self.carryOutCalls()
        if known?.isGone == false { self.names.left(line.user) }
        self.forgetName(of: line.user)
    }

    /// The same on all nodes.
    static func inOrder(_ rooms: some Sequence<RoomName>) -> [RoomName] { rooms.sorted { $0.text < $1.text } }

    /// Every room in which a line has a seat.
    package func rooms(of session: SessionID) -> [RoomName] {
        self.guests[session]?.rooms ?? self.strangers[session]?.rooms ?? []
    }

    func seated(_ session: SessionID, in room: RoomName, _ isIn: Bool) {
        if let guest = self.guests[session] {
            guest.rooms.include(room, isIn)
            if !isIn { self.onUnseated(session, .room(room)) }
        } else if var stranger = self.strangers[session] {
            stranger.rooms.include(room, isIn)
            self.strangers[session] = stranger.isGone && stranger.rooms.isEmpty && stranger.node != nil ? nil : stranger
        }
    }
}

// MARK: - Signals over nodes

extension Switchboard {
    /// Something of one of our clients for one line, wherever it is.
    func deliver(_ signal: RelayedSignal, to session: SessionID) throws(RequestError) {
        if try !self.awaitFlush(signal, for: session) { try self.pass(signal, to: session) }
    }

    /// The same for what another node passes on, and for what has waited.
    func pass(_ signal: RelayedSignal, to session: SessionID) throws(RequestError) {
        if self.guests[session] != nil { return self.tell(.signal(signal), to: session) }
        guard let ledger = self.ledger, let stranger = self.strangers[session], let node = stranger.node else { return }
        guard node != ledger.node else { return self.keep(.signal(signal), for: session) }
        if !stranger.wasSentTo { self.strangers[session]?.wasSentTo = true }
        guard ledger.send(NodeLetter.signal(signal, to: session), to: node) else { throw Self.unreachable }
    }
}

extension Switchboard: LedgerReader {
    package func received(_ letter: any LedgerValue) {
        // A node of another version may mean something else by it.
        switch NodeLetter(letter) {
        // Where its line has moved on meanwhile and cannot be reached, it is lost like one on a way that breaks.
        case .signal(let signal, let session): try? self.pass(signal, to: session)
        case .ask(let key, let node): self.onPlaceAsked(key, node)
        case .place(let session, let place): self.onPlace(session, place)
        case .drain: self.onDrain()
        case .flush(let session, let node): self.received(flush: session, of: node)
        case .flushed(let session): self.flushed(session)
        case nil: return
        }
    }

    package func carryOut(_ change: any LedgerValue, of node: RandomToken, serial: UInt64, at time: Instant) {
        // What a later version says is for those of a later version.
        guard let ledger = self.ledger, let change = SharedChange(change) else { return }
        let ahead = (self.now + self.clockOffset).duration(to: time)
        if ahead > .zero { self.clockOffset += ahead }
        let isOurs = node == ledger.node
        let outcome = self.outcome(of: change, isOurs ? .here : .elsewhere, from: isOurs ? nil : node, at: time)
        if isOurs, let answer = self.pending.removeValue(forKey: serial) { answer(outcome) }
    }

    /// All lines of the node broke.
    package func nodeGone(_ node: RandomToken, at time: Instant) {
        self.moment = max(self.moment, time)
        self.origin = self.ledger?.rank == 0 ? .here : .elsewhere
        let lines = self.strangers.filter { $0.value.node == node && !$0.value.isGone }
        for (session, stranger) in lines.sorted(by: { $0.key < $1.key }) {
            let line = Line(stranger.user, session)
            self.lost(line, fellSilent: false)
            self.presence.lineClosed(line, at: self.moment, into: &self.presenceOutbox)
            self.tellPresence()
            self.names.left(stranger.user)
            self.forgetName(of: stranger.user)
            self.strangers[session]?.isGone = true
            if self.strangers[session]?.rooms.isEmpty == true { self.strangers[session] = nil }
        }
    }

    package func enteredLedger(mayHaveMissed: Bool, at time: Instant) {
        // What others have told under the next numbers is not told under the same again.
        if mayHaveMissed { for room in self.rooms.keys { self.rooms[room]?.skipNumbers() } }
        self.clockOffset = self.now.duration(to: time)
        self.moment = max(self.moment, time)
        let early = self.early.take() ?? []
        self.onEntered()
        for guest in self.guests.values.sorted(by: { $0.session < $1.session }) {
            guard guest.isUp || guest.isKnown else { continue }
            let face = self.face(of: guest)
            self.submit(guest.isUp ? .opened(guest.line, face) : .lost(guest.line, fellSilent: false))
        }
        for (session, stranger) in self.strangers where stranger.node == nil {
            self.submit(.closed(Line(stranger.user, session), saidGoodbye: false))
        }
        for (change, answer) in early {
            if self.isSaidAgain(change) { answer?(.success(.done)) } else { self.submit(change, answer) }
        }
        self.armAlarm()
        for room in self.rooms.keys { self.armRoom(room) }
    }

    /// Our own clients were said to be there with what is known of them by now.
    private func isSaidAgain(_ change: SharedChange) -> Bool {
        if case .opened(let line, _) = change { self.guests[line.session] != nil } else { false }
    }

    package func fellOutOfLedger() {
        self.coming = [:]
        for session in self.flushes.keys { self.flushed(session) }
        // Others may have carried out more in the one before.
        self.lastEvent = .start()
        let waiting = self.pending.sorted { $0.key < $1.key }
        self.pending = [:]
        for (_, answer) in waiting { answer(.failure(Self.unreachable)) }
    }

    func face(of guest: Guest) -> ProfileSummary {
        self.names[guest.user] ?? ProfileSummary(guest.name, guest.avatar)
    }
}

extension [RoomName] {
    /// There are few: to look through all of them costs less than a hash.
    fileprivate mutating func include(_ room: RoomName, _ isIn: Bool) {
        if !isIn { self.removeAll { $0 == room } } else if !self.contains(room) { self.append(room) }
    }
}
