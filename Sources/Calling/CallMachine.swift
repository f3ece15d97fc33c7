package import Vocabulary

/// One call between two people, from the first ring to the goodbye, on as many devices as they have.
///
///     invited ──▶ ringing ──accepted──▶ talking ──hung up, failed──────▶ ended
///        │           │                   │   ▲                            ▲
///        │           │             link lost │ back in time               │
///        │           │                   ▼   │                            │
///        │           │                 (seat kept) ──time is over: lost──▶│
///        │           └─declined, cancelled, no answer, offline, lost──────│
///        └─busy, offline──────────────────────────────────────────────────┘
///
/// A line that was told to ring, that invited or that took a seat is told once that the call is over for it.
/// Orders say which line they are for; whether that line is up is for others to know.
package struct CallMachine: Sendable {
    enum State: Sendable {
        /// The callee's devices ring. Can become: talking, ended, merged.
        case ringing(CallRinging)
        /// Both seats are taken. Can become: ended.
        case talking(CallTalk)
        /// The last state.
        case ended(CallOutcome)
        /// The last state of a call that lives on under another name.
        case merged(into: CallID)
    }

    package let id: CallID
    package let caller: UserID
    package let callee: UserID
    package private(set) var kind: CallKind
    private let settings: CallSettings
    let started: Instant
    private(set) var state: State

    /// The callee's devices ring, if there are any.
    package init(
        _ invitation: CallInvitation, ringing devices: [SessionID], settings: CallSettings, at now: Instant,
        into outbox: inout CallOutbox
    ) {
        self.init(invitation, kind: invitation.kind, settings: settings, at: now)
        for device in devices { self.lineOpened(Line(self.callee, device), into: &outbox) }
        if settings.wakesDevices {
            self.requestPush(for: invitation, into: &outbox)
        } else if devices.isEmpty {
            self.end(.offline, by: nil, at: now, into: &outbox)
        }
    }

    /// The callee is busy.
    package init(
        busy invitation: CallInvitation, settings: CallSettings, at now: Instant, into outbox: inout CallOutbox
    ) {
        self.init(invitation, kind: invitation.kind, settings: settings, at: now)
        self.end(.busy, by: nil, at: now, into: &outbox)
    }

    private init(_ invitation: CallInvitation, kind: CallKind, settings: CallSettings, at now: Instant) {
        self.id = invitation.id
        self.caller = invitation.caller.user
        self.callee = invitation.callee
        self.kind = kind
        self.settings = settings
        self.started = now
        self.state = .ringing(CallRinging(for: CallSeat(invitation.caller), until: now + settings.ringTime))
    }

    /// As it stood on another node.
    init(
        id: CallID, caller: UserID, callee: UserID, kind: CallKind, started: Instant, settings: CallSettings,
        state: State
    ) {
        self.id = id
        self.caller = caller
        self.callee = callee
        self.kind = kind
        self.settings = settings
        self.started = started
        self.state = state
    }

    /// The server was started anew: both seats wait for their users.
    package init(resuming call: RunningCall, settings: CallSettings, at now: Instant) {
        let deadline = now + settings.restartGrace
        var talk = CallTalk(
            CallSeat(call.caller, keptUntil: deadline), with: CallSeat(call.callee, keptUntil: deadline),
            since: call.answered)
        talk.isForgotten = true
        self.init(
            id: call.id, caller: call.caller.user, callee: call.callee.user, kind: call.kind, started: call.started,
            settings: settings, state: .talking(talk))
    }

    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? {
        switch self.state {
        case .ringing(let ringing): ringing.deadline
        case .talking(let talk): talk.deadline
        case .ended, .merged: nil
        }
    }

    package var isOver: Bool {
        switch self.state {
        case .ringing, .talking: false
        case .ended, .merged: true
        }
    }

    /// What a call that is over answers to later requests.
    var whyOver: CallRefusal {
        if case .ended(let outcome) = self.state { .ended(outcome) } else { .answeredElsewhere }
    }

    package var isRinging: Bool {
        switch self.state {
        case .ringing: true
        case .talking, .ended, .merged: false
        }
    }

    /// Whether nobody has talked in it yet.
    var isFresh: Bool { self.answered == nil }

    package func concerns(_ user: UserID) -> Bool { user == self.caller || user == self.callee }

    /// Ends the call for all lines that have not been told, and for good.
    private mutating func end(_ outcome: CallOutcome, by user: UserID?, at now: Instant, into outbox: inout CallOutbox)
    {
        self.withdrawPush(into: &outbox)
        for session in self.openSessions {
            outbox.append(.ended(session, .over(outcome, by: user)), of: self.id)
        }
        let record = CallRecord(
            id: self.id, caller: self.caller, callee: self.callee, kind: self.kind, started: self.started,
            answered: self.answered, ended: now, outcome: outcome, endedBy: user)
        outbox.append(.record(record), of: self.id)
        self.state = .ended(outcome)
    }

    /// Those that know of the call and do not know its end, the caller first.
    private var openSessions: [SessionID] {
        switch self.state {
        case .ringing(let ringing): [ringing.caller.line.session] + ringing.open
        case .talking(let talk): [talk[.caller].line.session, talk[.callee].line.session]
        case .ended, .merged: []
        }
    }

    private var answered: Instant? {
        switch self.state {
        case .talking(let talk): talk.since
        case .ringing, .ended, .merged: nil
        }
    }
}

// MARK: - Answers and goodbyes

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
            self.withdrawPush(into: &outbox)
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

    /// One side ends the call: the caller cancels, the callee declines, or one of two who talk says goodbye.
    ///
    /// While it rings any device of either side can; afterwards the one that holds the seat, or, while the seat waits
    /// for its user, any of theirs. So a "no" that crossed a "yes" on another device does no harm.
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
    mutating func abandoned(by line: Line, at now: Instant, into outbox: inout CallOutbox) {
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

    /// The one on this line keeps what is said, or with nil no longer: the other side is told.
    package mutating func recorded(
        by line: Line, since start: WallTime?, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        guard self.concerns(line.user) else { throw .notYours }
        let refusal = self.whyOver
        guard let other = try self.state.recorded(by: line, since: start, orElse: refusal) else { return }
        outbox.append(.recording(other, since: start), of: self.id)
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

    /// Who rings has to ring anew. Who talks talks on: the next run of the server keeps their seats.
    package mutating func serverStopped(at now: Instant, into outbox: inout CallOutbox) {
        guard self.isRinging else { return }
        self.end(.serverRestarted, by: nil, at: now, into: &outbox)
    }

    private mutating func failedWhileRinging(
        _ ringing: CallRinging, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) {
        guard line.user == self.callee else { return self.end(.failed, by: line.user, at: now, into: &outbox) }
        var ringing = ringing
        if ringing.gaveUp(line.session, until: now + self.settings.linkGrace) {
            outbox.append(.ended(line.session, .over(.failed, by: line.user)), of: self.id)
        }
        self.state = .ringing(ringing)
        if ringing.isHopeless { self.end(.failed, by: line.user, at: now, into: &outbox) }
    }

    /// Both sides are told who they talk with, the caller first, and whether that one has to be waited for.
    private mutating func connect(
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

// MARK: - Devices that sleep

extension CallMachine {
    /// The callee has devices that are being woken, or none.
    package mutating func pushed(_ areThereDevices: Bool, at now: Instant, into outbox: inout CallOutbox) {
        guard case .ringing(var ringing) = self.state else { return }
        let (outcome, tells) = ringing.pushed(areThereDevices, until: now + self.settings.linkGrace)
        self.state = .ringing(ringing)
        if tells { outbox.append(.pushed(ringing.caller.line.session), of: self.id) }
        if let outcome { self.end(outcome, by: nil, at: now, into: &outbox) }
    }

    private mutating func requestPush(for invitation: CallInvitation, into outbox: inout CallOutbox) {
        guard case .ringing(var ringing) = self.state else { return }
        ringing.requestPush()
        self.state = .ringing(ringing)
        outbox.append(.push(invitation), of: self.id)
    }

    private func withdrawPush(into outbox: inout CallOutbox) {
        guard case .ringing(let ringing) = self.state, ringing.push != .none else { return }
        outbox.append(.withdrawPush, of: self.id)
    }
}

// MARK: - Crossed calls

/// Two people ring each other at the same time. Both want to talk, so it becomes one call, answered at once.
extension CallMachine {
    /// The callee rings the caller. The call with the smaller name lives on; it is returned if it is not this one.
    package mutating func crossed(
        by invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) -> CallMachine? {
        guard invitation.caller.user == self.callee, invitation.callee == self.caller else { throw .notYours }
        switch self.state {
        case .ringing(let ringing) where invitation.id.text < self.id.text:
            return self.merged(ringing, into: invitation, at: now, into: &outbox)
        case .ringing:
            self.kind = self.kind.common(with: invitation.kind)
            try self.accepted(by: invitation.caller, at: now, into: &outbox)
            return nil
        case .talking, .merged:
            throw .answeredElsewhere
        case .ended(let outcome):
            throw .ended(outcome)
        }
    }

    /// Leaves no record: there was no talk under this name, and the other call has its own.
    private mutating func merged(
        _ ringing: CallRinging, into invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) -> CallMachine {
        self.withdrawPush(into: &outbox)
        for session in self.openSessions {
            let goesOn = session == ringing.caller.line.session || session == invitation.caller.session
            outbox.append(.ended(session, goesOn ? .merged(into: invitation.id) : .answeredElsewhere), of: self.id)
        }
        self.state = .merged(into: invitation.id)
        let kind = self.kind.common(with: invitation.kind)
        var survivor = CallMachine(invitation, kind: kind, settings: self.settings, at: now)
        survivor.connect(CallSeat(invitation.caller), with: ringing.caller, at: now, into: &outbox)
        return survivor
    }
}

extension CallKind {
    /// No camera opens for a call its user did not mean to be seen in.
    fileprivate func common(with other: CallKind) -> CallKind { self == other ? self : .audio }
}

// MARK: - Links and seats

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
            // It comes with everything it missed, so it is not behind.
            self.take(role, of: talk, by: line, keepsMedia: false, into: &outbox)
        case .ended, .merged:
            break
        }
    }

    /// A line of one of the two broke. The call waits for it.
    package mutating func lineLost(_ line: Line, at now: Instant, into outbox: inout CallOutbox) {
        let deadline = now + self.settings.linkGrace
        switch self.state {
        case .ringing(var ringing):
            if ringing.caller.line == line { ringing.caller.left(until: deadline) }
            if line.user == self.callee { ringing.lineDown(line.session, until: deadline) }
            self.state = .ringing(ringing)
        case .talking(var talk):
            guard let role = talk.role(of: line), !talk[role].isAway else { return }
            talk[role].left(until: deadline)
            self.state = .talking(talk)
            outbox.append(.peerAway(talk[role.other].line.session), of: self.id)
        case .ended, .merged:
            break
        }
    }

    /// A line takes its user's seat: after a reload, or to go on talking on another device.
    ///
    /// The seat has to be free, or its holder's session has to be named: a new link is often up before anybody has
    /// noticed that the old one is gone. One that still has its media goes on with it, unless the other side has begun
    /// anew in the meantime; true when it does.
    @discardableResult
    package mutating func seatTaken(
        by line: Line, replacing old: SessionID?, keepsMedia: Bool = false, into outbox: inout CallOutbox
    ) throws(CallRefusal) -> Bool {
        guard self.concerns(line.user) else { throw .notYours }
        switch self.state {
        case .ringing(var ringing):
            // The callee has no seat yet, only devices that ring.
            guard line.user == self.caller else { return false }
            let holder = ringing.caller.line
            guard try ringing.caller.taken(by: line, replacing: old) else { return false }
            self.state = .ringing(ringing)
            self.leave(holder, to: line, into: &outbox)
            return false
        case .talking(let talk):
            guard let role = talk.role(of: line.user) else { throw .notYours }
            var seat = talk[role]
            let isKept = keepsMedia && !seat.isBehind
            guard try seat.taken(by: line, replacing: old) else { return isKept }
            self.take(role, of: talk, by: line, keepsMedia: isKept, into: &outbox)
            return isKept
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
            // Nobody knows how long they talked on: what is certain is that they did.
            if talk.isForgotten { return self.end(.serverRestarted, by: nil, at: talk.since, into: &outbox) }
            let isCallers = talk[.caller].keptUntil == deadline
            self.end(.lost, by: isCallers ? self.caller : self.callee, at: now, into: &outbox)
        case .ringing, .ended, .merged:
            break
        }
    }

    /// Puts a line into a seat and tells the other side, and the line that held it.
    private mutating func take(
        _ role: CallConnection.Role, of talk: CallTalk, by line: Line, keepsMedia: Bool, into outbox: inout CallOutbox
    ) {
        var talk = talk
        let (holder, wasRecording) = (talk[role].line, talk[role].recordingSince != nil)
        talk[role].taken(by: line)
        talk[role].isBehind = false
        talk.isForgotten = false
        // Its own session comes back with its media and with what was kept for it; another one may have neither.
        if !keepsMedia, holder != line, talk[role.other].isAway { talk[role.other].isBehind = true }
        self.state = .talking(talk)
        outbox.append(
            .peerBack(talk[role.other].line.session, as: line.session, keepsMedia: keepsMedia), of: self.id)
        if wasRecording, holder != line {
            outbox.append(.recording(talk[role.other].line.session, since: nil), of: self.id)
        }
        self.leave(holder, to: line, into: &outbox)
    }

    private func leave(_ holder: Line, to line: Line, into outbox: inout CallOutbox) {
        guard holder != line else { return }
        outbox.append(.ended(holder.session, .movedElsewhere), of: self.id)
    }
}
