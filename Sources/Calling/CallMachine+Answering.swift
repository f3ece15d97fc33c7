package import Vocabulary

extension CallMachine {
    /// A device says that it rings.
    package mutating func acknowledged(by line: Line, into outbox: inout CallOutbox) throws(CallRefusal) {
        guard line.user == self.callee else { throw .notYours }
        switch self.state {
        case .ringing(var ringing):
            let isFirst = ringing.acknowledged(line.session)
            self.state = .ringing(ringing)
            if isFirst { outbox.append(.ringing(ringing.caller.line.session), of: self.id) }
        case .talking:
            break
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// The callee takes the call on this line. The first device wins; said twice it is true once.
    package mutating func accepted(
        by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard line.user == self.callee else { throw .notYours }
        switch self.state {
        case .ringing(let ringing):
            for session in ringing.open where session != line.session {
                outbox.append(.ended(session, .answeredElsewhere), of: self.id)
            }
            self.connect(ringing.caller, with: CallSeat(line), at: now, into: &outbox)
        case .talking(let talk):
            guard talk[.callee].line == line else { throw .answeredElsewhere }
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// The callee says no, on any of their devices and for all of them.
    ///
    /// From the device that has the call it is a goodbye; from another one it came too late.
    package mutating func declined(
        by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard line.user == self.callee else { throw .notYours }
        try self.hungUp(by: line, at: now, into: &outbox)
    }

    /// Somebody ends the call: the caller cancels, the callee declines, or one of two who talk says goodbye.
    ///
    /// While it rings any device of either side can; afterwards the one that holds the seat, or, while the seat waits
    /// for its user, any of theirs. So a "no" that crossed a "yes" on another device harms nobody.
    package mutating func hungUp(
        by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard self.concerns(line.user) else { throw .notYours }
        switch self.state {
        case .ringing:
            self.end(line.user == self.caller ? .cancelled : .declined, by: line.user, at: now, into: &outbox)
        case .talking(let talk):
            guard talk.hears(line) else { throw .answeredElsewhere }
            self.end(.completed, by: line.user, at: now, into: &outbox)
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// A device cannot do its part. A ringing one steps aside; the last of them, the caller or a talking one ends the call.
    package mutating func failed(
        by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard self.concerns(line.user) else { throw .notYours }
        switch self.state {
        case .ringing(let ringing):
            self.failedWhileRinging(ringing, by: line, at: now, into: &outbox)
        case .talking(let talk):
            guard talk.hears(line) else { throw .answeredElsewhere }
            self.end(.failed, by: line.user, at: now, into: &outbox)
        case .ended, .merged:
            throw self.whyOver
        }
    }

    /// The user rings the same person anew. If that comes from the line that holds their seat in this call, or if the
    /// line of that seat is down, they have left it.
    mutating func forsaken(by line: Line, at now: Instant, into outbox: inout CallOutbox) {
        switch self.state {
        case .ringing(let ringing):
            guard ringing.caller.hears(line) else { return }
            self.end(.cancelled, by: line.user, at: now, into: &outbox)
        case .talking(let talk):
            guard talk.hears(line) else { return }
            self.end(.completed, by: line.user, at: now, into: &outbox)
        case .ended, .merged:
            break
        }
    }

    /// The user may take part in nothing any more.
    package mutating func userRemoved(_ user: UserID, at now: Instant, into outbox: inout CallOutbox) {
        switch self.state {
        case .ringing:
            self.end(user == self.caller ? .cancelled : .declined, by: user, at: now, into: &outbox)
        case .talking:
            self.end(.completed, by: user, at: now, into: &outbox)
        case .ended, .merged:
            break
        }
    }

    package mutating func serverStopped(at now: Instant, into outbox: inout CallOutbox) {
        guard !self.isOver else { return }
        self.end(.serverRestarted, by: nil, at: now, into: &outbox)
    }

    private mutating func failedWhileRinging(
        _ ringing: CallRinging, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) {
        guard line.user == self.callee else { return self.end(.failed, by: line.user, at: now, into: &outbox) }
        var ringing = ringing
        if ringing.gaveUp(line.session, patientUntil: now + self.settings.linkGrace) {
            outbox.append(.ended(line.session, .over(.failed, by: line.user)), of: self.id)
        }
        self.state = .ringing(ringing)
        if ringing.isHopeless { self.end(.failed, by: line.user, at: now, into: &outbox) }
    }

    /// Both sides are told who they talk with, the caller first, and whether that one has to be waited for.
    mutating func connect(
        _ caller: CallSeat, with callee: CallSeat, at now: Instant, into outbox: inout CallOutbox
    ) {
        let talk = CallTalk(caller, with: callee, since: now)
        self.state = .talking(talk)
        for role in CallConnection.Role.allCases {
            outbox.append(.connected(talk[role].line.session, talk.connection(for: role, kind: self.kind)), of: self.id)
        }
        for role in CallConnection.Role.allCases where talk[role].isAway {
            outbox.append(.peerAway(talk[role.other].line.session), of: self.id)
        }
    }
}
