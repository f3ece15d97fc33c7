package import Vocabulary

extension CallMachine {
    /// A line of one of the two came up: a device that has to ring, or one that is back with its old session.
    package mutating func lineOpened(_ line: Line, into outbox: inout CallOutbox) {
        switch self.state {
        case .ringing(var ringing):
            if ringing.caller.line == line { ringing.caller.taken(by: line) }
            let hasToRing =
                line.user == self.callee && ringing.lineUp(line.session, atMost: self.settings.maximumDevices)
            self.state = .ringing(ringing)
            guard hasToRing else { return }
            let invitation = CallInvitation(self.id, from: ringing.caller.line, to: self.callee, kind: self.kind)
            outbox.append(.ring(line.session, invitation), of: self.id)
        case .talking(let talk):
            guard let role = talk.role(of: line), talk[role].isAway else { return }
            self.take(role, of: talk, by: line, into: &outbox)
        case .ended, .merged:
            break
        }
    }

    /// A line of one of the two broke. The call waits for it.
    package mutating func lineLost(_ line: Line, at now: Instant, into outbox: inout CallOutbox) {
        let patience = now + self.settings.linkGrace
        switch self.state {
        case .ringing(var ringing):
            if ringing.caller.line == line { ringing.caller.left(until: patience) }
            if line.user == self.callee { ringing.lineDown(line.session, patientUntil: patience) }
            self.state = .ringing(ringing)
        case .talking(var talk):
            guard let role = talk.role(of: line), !talk[role].isAway else { return }
            talk[role].left(until: patience)
            self.state = .talking(talk)
            outbox.append(.peerAway(talk[role.other].line.session), of: self.id)
        case .ended, .merged:
            break
        }
    }

    /// A line takes its user's seat: after a reload, or to go on talking on another device.
    ///
    /// The seat has to be free, or its holder's session has to be named: a new link is often up before anybody has
    /// noticed that the old one is gone.
    package mutating func seatTaken(
        by line: Line, replacing old: SessionID?, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard self.concerns(line.user) else { throw .notYours }
        switch self.state {
        case .ringing(var ringing):
            // The callee has no seat yet, only devices that ring.
            guard line.user == self.caller else { return }
            let holder = ringing.caller.line
            guard try ringing.caller.taken(by: line, replacing: old) else { return }
            self.state = .ringing(ringing)
            self.leave(holder, to: line, into: &outbox)
        case .talking(let talk):
            guard let role = talk.role(of: line.user) else { throw .notYours }
            var seat = talk[role]
            guard try seat.taken(by: line, replacing: old) else { return }
            self.take(role, of: talk, by: line, into: &outbox)
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// Time has passed; what has run out is over, the earliest first.
    package mutating func clockAdvanced(to now: Instant, into outbox: inout CallOutbox) {
        switch self.state {
        case .ringing(let ringing) where ringing.deadline <= now:
            if ringing.caller.keptUntil == ringing.deadline {
                self.end(.lost, by: self.caller, at: now, into: &outbox)
            } else if ringing.unreachableUntil == ringing.deadline {
                self.end(.offline, by: nil, at: now, into: &outbox)
            } else {
                self.end(.noAnswer, by: nil, at: now, into: &outbox)
            }
        case .talking(let talk):
            guard let deadline = talk.deadline, deadline <= now else { return }
            let isCallers = talk[.caller].keptUntil == deadline
            self.end(.lost, by: isCallers ? self.caller : self.callee, at: now, into: &outbox)
        case .ringing, .ended, .merged:
            break
        }
    }

    /// Where something from this line goes.
    package func route(from line: Line) throws(CallRefusal) -> CallRoute {
        guard self.concerns(line.user) else { throw .notYours }
        switch self.state {
        case .talking(let talk):
            guard let role = talk.role(of: line) else { throw .answeredElsewhere }
            let peer = talk[role.other]
            return peer.isAway ? .keep(for: peer.line.session) : .deliver(to: peer.line.session)
        case .ringing:
            throw .stillRinging
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// What this line sees of the call.
    package func view(for line: Line) throws(CallRefusal) -> CallView {
        guard self.concerns(line.user) else { throw .notYours }
        let phase: CallView.Phase
        switch self.state {
        case .ringing:
            phase = .ringing
        case .talking(let talk):
            phase = self.phase(of: talk, for: line)
        case .ended(let outcome):
            phase = .ended(outcome)
        case .merged:
            throw .answeredElsewhere
        }
        return CallView(id: self.id, caller: self.caller, callee: self.callee, kind: self.kind, phase: phase)
    }

    private func phase(of talk: CallTalk, for line: Line) -> CallView.Phase {
        guard let role = talk.role(of: line) else { return .talkingElsewhere }
        return .talking(talk.connection(for: role, kind: self.kind), isPeerAway: talk[role.other].isAway)
    }

    /// Puts a line into a seat and tells the other side, and the line that held it.
    private mutating func take(
        _ role: CallConnection.Role, of talk: CallTalk, by line: Line, into outbox: inout CallOutbox
    ) {
        var talk = talk
        let holder = talk[role].line
        talk[role].taken(by: line)
        self.state = .talking(talk)
        outbox.append(.peerBack(talk[role.other].line.session, as: line.session), of: self.id)
        self.leave(holder, to: line, into: &outbox)
    }

    private func leave(_ holder: Line, to line: Line, into outbox: inout CallOutbox) {
        guard holder != line else { return }
        outbox.append(.ended(holder.session, .movedElsewhere), of: self.id)
    }
}
