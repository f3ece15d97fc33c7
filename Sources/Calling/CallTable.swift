internal import BinaryCoding
package import Bytes
package import Vocabulary

/// All calls of a set of users: who takes part in which, who is busy, and what became of the latest ones.
///
/// It finds the call an event is for, lets its machine decide, and forgets it when it is over. What a line asks for is
/// passed on only while that line is up: between its `lineOpened` and its `lineLost`.
package struct CallTable: Sendable {
    package let settings: CallSettings
    private var calls: [CallID: CallMachine] = [:]
    /// Each user's calls, the oldest first.
    private var callsByUser: [UserID: [CallID]] = [:]
    private var deadlines = Deadlines<CallID>()
    /// Devices that take more calls at once than people do, and how many.
    private var answerers: [UserID: [SessionID: Int]] = [:]
    private var past: EndedCalls
    private var isStopped = false
    /// How many invitations became a call so far.
    package private(set) var begun = 0

    package init(settings: CallSettings = CallSettings()) {
        self.settings = settings
        self.past = EndedCalls(capacity: settings.maximumRemembered)
    }

    /// How many calls are going on.
    package var count: Int { self.calls.count }

    /// When to call `clockAdvanced`, if time is all that happens.
    package var deadline: Instant? { self.isStopped ? nil : self.deadlines.next }

    package func calls(of user: UserID) -> [CallID] { self.callsByUser[user] ?? [] }

    /// Whether one more call to this user would be one too many.
    package func isBusy(_ user: UserID) -> Bool {
        let most = self.answerers[user]?.values.max() ?? self.settings.busyFrom
        return self.calls(of: user).count >= max(most, self.settings.busyFrom)
    }

    /// A device takes so many calls at once, for as long as its line is up.
    package mutating func answers(_ count: Int, on line: Line) {
        self.answerers[line.user, default: [:]][line.session] = min(count, self.settings.maximumAnswered)
    }

    // MARK: One call

    package mutating func acknowledged(
        _ id: CallID, by line: Line, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.acknowledged(by: line, into: &outbox)
        }
    }

    /// The callee of a call has devices that are being woken, or none.
    package mutating func pushed(
        _ id: CallID, _ areThereDevices: Bool, at now: Instant, into outbox: inout CallOutbox
    ) {
        self.change(id) { call in call.pushed(areThereDevices, at: now, into: &outbox) }
    }

    package mutating func accepted(
        _ id: CallID, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.accepted(by: line, at: now, into: &outbox)
        }
    }

    package mutating func declined(
        _ id: CallID, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.declined(by: line, at: now, into: &outbox)
        }
    }

    package mutating func hungUp(
        _ id: CallID, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.hungUp(by: line, at: now, into: &outbox)
        }
    }

    package mutating func failed(
        _ id: CallID, by line: Line, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.failed(by: line, at: now, into: &outbox)
        }
    }

    package mutating func recorded(
        _ id: CallID, by line: Line, since start: WallTime?, into outbox: inout CallOutbox
    ) throws(CallRefusal) {
        try self.update(id, for: line) { call throws(CallRefusal) in
            try call.recorded(by: line, since: start, into: &outbox)
        }
    }

    /// A line takes its user's seat in a call, and learns where the call stands.
    package mutating func seatTaken(
        _ id: CallID, by line: Line, replacing old: SessionID? = nil, keepsMedia: Bool = false,
        into outbox: inout CallOutbox
    ) throws(CallRefusal) -> CallView {
        var isKept = false
        try self.update(id, for: line) { call throws(CallRefusal) in
            isKept = try call.seatTaken(by: line, replacing: old, keepsMedia: keepsMedia, into: &outbox)
        }
        var view = try self.view(of: id, for: line)
        view.keepsMedia = isKept
        return view
    }

    /// What a line sees of a call, also when it is over.
    package func view(of id: CallID, for line: Line) throws(CallRefusal) -> CallView {
        try self.call(id, for: line).view(for: line)
    }

    /// Where a session description or a candidate from this line goes.
    package func route(_ id: CallID, from line: Line) throws(CallRefusal) -> CallRoute {
        try self.call(id, for: line).route(from: line)
    }

    // MARK: All calls of a line or a user

    /// A line came up; what is ringing for its user rings there too, and a seat that waits for it is taken again.
    package mutating func lineOpened(_ line: Line, into outbox: inout CallOutbox) {
        for id in self.calls(of: line.user) {
            self.change(id) { call in call.lineOpened(line, into: &outbox) }
        }
    }

    package mutating func lineLost(_ line: Line, at now: Instant, into outbox: inout CallOutbox) {
        if self.answerers[line.user]?.removeValue(forKey: line.session) != nil,
            self.answerers[line.user]?.isEmpty == true
        {
            self.answerers[line.user] = nil
        }
        // All lines break as the server goes; the next run has their seats.
        if self.isStopped { return }
        for id in self.calls(of: line.user) {
            self.change(id) { call in call.lineLost(line, at: now, into: &outbox) }
        }
    }

    /// The user was banned or is gone for good; so are their calls.
    package mutating func userRemoved(_ user: UserID, at now: Instant, into outbox: inout CallOutbox) {
        for id in self.calls(of: user) {
            self.change(id) { call in call.userRemoved(user, at: now, into: &outbox) }
        }
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout CallOutbox) {
        if self.isStopped { return }
        while let id = self.deadlines.popDue(at: now) {
            self.change(id) { call in call.clockAdvanced(to: now, into: &outbox) }
        }
    }

    /// The server goes down. What rings is over; whoever talks takes their seat again in the next run.
    package mutating func serverStopped(at now: Instant, into outbox: inout CallOutbox) {
        self.isStopped = true
        for id in self.calls.keys.sorted(by: { $0.text < $1.text }) {
            self.change(id) { call in call.serverStopped(at: now, into: &outbox) }
        }
    }

    /// Two who talked when the last run of the server ended. One they began in the meantime stands in for it.
    package mutating func resumed(_ call: RunningCall, at now: Instant) {
        guard self.calls[call.id] == nil, self.past[call.id] == nil else { return }
        self.begin(CallMachine(resuming: call, settings: self.settings, at: now))
    }

    /// Nil of a call in which nobody talks.
    package func running(_ id: CallID) -> RunningCall? { self.calls[id]?.running }

    // MARK: Books

    private mutating func begin(_ call: CallMachine) {
        if call.isFresh { self.begun += 1 }
        self.calls[call.id] = call
        self.callsByUser[call.caller, default: []].append(call.id)
        self.callsByUser[call.callee, default: []].append(call.id)
        self.settle(call.id)
    }

    /// Lets a call decide, then follows it: to its next deadline, or out of the books.
    private mutating func change<Failure: Error>(
        _ id: CallID, _ event: (inout CallMachine) throws(Failure) -> Void
    ) throws(Failure) {
        guard let place = self.calls.index(forKey: id) else { return }
        defer { self.settle(id) }
        try event(&self.calls.values[place])
    }

    private mutating func remember(_ id: CallID, _ fate: EndedCalls.Fate, caller: UserID, callee: UserID) {
        self.past.insert(EndedCalls.Entry(fate: fate, caller: caller, callee: callee), for: id)
    }

    /// What is known of a name that no call has any more.
    private func fate(of id: CallID) -> EndedCalls.Entry? { self.past[id] }

    private mutating func settle(_ id: CallID) {
        guard let call = self.calls[id] else { return }
        self.deadlines.set(call.deadline, for: id)
        switch call.state {
        case .ringing, .talking: return
        case .ended(let outcome): self.remember(id, .ended(outcome), caller: call.caller, callee: call.callee)
        case .merged(let survivor): self.remember(id, .merged(into: survivor), caller: call.caller, callee: call.callee)
        }
        self.calls[id] = nil
        self.strike(id, from: call.caller)
        self.strike(id, from: call.callee)
    }

    private mutating func strike(_ id: CallID, from user: UserID) {
        self.callsByUser[user]?.removeAll { $0 == id }
        if self.callsByUser[user]?.isEmpty == true { self.callsByUser[user] = nil }
    }

    private mutating func update(
        _ id: CallID, for line: Line, _ event: (inout CallMachine) throws(CallRefusal) -> Void
    ) throws(CallRefusal) {
        try self.change(self.name(of: id, for: line), event)
    }

    private func call(_ id: CallID, for line: Line) throws(CallRefusal) -> CallMachine {
        guard let call = self.calls[try self.name(of: id, for: line)] else { throw .unknownCall }
        return call
    }

    /// The name the call has by now. Strangers learn nothing about calls that are over.
    private func name(of id: CallID, for line: Line) throws(CallRefusal) -> CallID {
        if self.calls[id] != nil { return id }
        guard let entry = self.past[id], entry.concerns(line.user) else { throw .unknownCall }
        switch entry.fate {
        case .ended(let outcome): throw .ended(outcome)
        case .merged(let survivor): return try self.name(of: survivor, for: line)
        }
    }
}

// MARK: - Invitations

extension CallTable {
    /// A user rings another, whose lines that are up are `devices`. Returns the name of the call they are in then.
    ///
    /// What follows, also that the callee is busy or offline, comes as orders. An invitation that comes twice is one.
    package mutating func invited(
        _ invitation: CallInvitation, ringing devices: [SessionID], at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) -> CallID {
        if let known = try self.knownName(of: invitation) { return known }
        guard invitation.caller.user != invitation.callee else { throw .callsThemselves }
        self.leaveEarlierCalls(invitation, at: now, into: &outbox)
        if let survivor = try self.crossed(invitation, at: now, into: &outbox) { return survivor }
        guard self.calls(of: invitation.caller.user).count < self.settings.maximumCallsPerUser else {
            throw .tooManyCalls
        }
        if self.isBusy(invitation.callee) {
            self.begin(CallMachine(busy: invitation, settings: self.settings, at: now, into: &outbox))
        } else {
            self.begin(
                CallMachine(invitation, ringing: devices, settings: self.settings, at: now, into: &outbox))
        }
        return invitation.id
    }

    /// The same invitation came before; its call may go on, under this or another name, or be over.
    private func knownName(of invitation: CallInvitation) throws(CallRefusal) -> CallID? {
        if let call = self.calls[invitation.id] {
            guard call.caller == invitation.caller.user, call.callee == invitation.callee else { throw .nameTaken }
            return call.id
        }
        guard let entry = self.fate(of: invitation.id) else { return nil }
        guard entry.caller == invitation.caller.user, entry.callee == invitation.callee else { throw .nameTaken }
        switch entry.fate {
        case .ended(let outcome): throw .ended(outcome)
        case .merged(let survivor): return try self.survivingName(survivor)
        }
    }

    private func survivingName(_ id: CallID) throws(CallRefusal) -> CallID {
        if self.calls[id] != nil { return id }
        if case .ended(let outcome) = self.fate(of: id)?.fate { throw .ended(outcome) }
        throw .unknownCall
    }

    /// Who rings the same person again from the same line, or after the line of their call broke, has left that call
    /// without a word: an app that was closed, a page that was loaded anew. No caller should find the other one busy with
    /// their own ghost.
    private mutating func leaveEarlierCalls(
        _ invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) {
        for id in self.calls(of: invitation.caller.user) where self.calls[id]?.concerns(invitation.callee) == true {
            self.change(id) { call in call.abandoned(by: invitation.caller, at: now, into: &outbox) }
        }
    }

    /// The callee is ringing the caller right now.
    private mutating func crossed(
        _ invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) throws(CallRefusal) -> CallID? {
        let other = self.calls(of: invitation.callee).first { id in
            guard let call = self.calls[id] else { return false }
            return call.isRinging && call.caller == invitation.callee && call.callee == invitation.caller.user
        }
        guard let other else { return nil }
        var survivor: CallMachine?
        try self.change(other) { call throws(CallRefusal) in
            survivor = try call.crossed(by: invitation, at: now, into: &outbox)
        }
        if let survivor {
            self.begin(survivor)
            return survivor.id
        }
        self.remember(
            invitation.id, .merged(into: other), caller: invitation.caller.user, callee: invitation.callee)
        return other
    }
}

// MARK: - Over nodes

/// As another node takes it over.
extension CallTable {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.calls.count)
        for call in self.calls.values { call.encode(into: &bytes) }
        bytes.put(self.callsByUser)
        bytes.put(self.answerers)
        self.past.encode(into: &bytes)
    }

    package init(from bytes: inout ByteReader, settings: CallSettings) throws(ByteError) {
        self.init(settings: settings)
        let count: Int = try bytes.take()
        for _ in 0..<max(0, count) {
            let call = try CallMachine(from: &bytes, settings: settings)
            self.calls[call.id] = call
            self.deadlines.set(call.deadline, for: call.id)
        }
        self.callsByUser = try bytes.take()
        self.answerers = try bytes.take()
        self.past = try EndedCalls(from: &bytes, capacity: settings.maximumRemembered)
    }
}
