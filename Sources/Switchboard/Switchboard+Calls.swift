package import Calling
package import Operations
internal import Pacing
package import Vocabulary

extension Switchboard {
    /// Rings all devices of a user. Answers the name of the call, also when it turned out to be an earlier one.
    package func invite(
        _ callee: UserID, _ kind: CallKind, as id: CallID, from guest: Guest
    ) throws(RequestError) -> CallID {
        if let wait = guest.invitations.take(at: self.now) {
            throw RequestError(.rateLimited, "too many calls at once", retryAfter: wait)
        }
        guard !self.isBlocked(guest.user, by: callee) else {
            throw RequestError(.blocked, "they do not want to hear from you")
        }
        let invitation = CallInvitation(id, from: guest.line, to: callee, kind: kind)
        let devices = self.presence.lines(of: callee)
        let known = self.calls.begun
        defer { if self.calls.begun > known { self.onCallStarted(invitation) } }
        return try self.withCalls { calls, outbox, now throws(CallRefusal) in
            try calls.invited(invitation, ringing: devices, at: now, into: &outbox)
        }
    }

    /// The callee of a call has devices that are being woken, or none.
    package func pushed(_ id: CallID, _ areThereDevices: Bool) {
        self.calls.pushed(id, areThereDevices, at: self.now, into: &self.callOutbox)
        self.carryOutCalls()
    }

    /// How many ring, or have two who talk.
    package var callCount: Int { self.calls.count }

    /// The device takes so many calls at once.
    package func answer(_ count: Int, by guest: Guest) { self.calls.answers(count, on: guest.line) }

    /// The device rings.
    package func acknowledge(_ id: CallID, by guest: Guest) throws(RequestError) {
        try self.withCalls { calls, outbox, _ throws(CallRefusal) in
            try calls.acknowledged(id, by: guest.line, into: &outbox)
        }
    }

    package func accept(_ id: CallID, by guest: Guest) throws(RequestError) {
        try self.withCalls { calls, outbox, now throws(CallRefusal) in
            try calls.accepted(id, by: guest.line, at: now, into: &outbox)
        }
    }

    package func decline(_ id: CallID, by guest: Guest) throws(RequestError) {
        try self.withCalls { calls, outbox, now throws(CallRefusal) in
            try calls.declined(id, by: guest.line, at: now, into: &outbox)
        }
    }

    /// Ends a call, or one's own ringing.
    package func hangUp(_ id: CallID, by guest: Guest) throws(RequestError) {
        try self.withCalls { calls, outbox, now throws(CallRefusal) in
            try calls.hungUp(id, by: guest.line, at: now, into: &outbox)
        }
    }

    /// The device cannot do its part.
    package func fail(_ id: CallID, by guest: Guest) throws(RequestError) {
        try self.withCalls { calls, outbox, now throws(CallRefusal) in
            try calls.failed(id, by: guest.line, at: now, into: &outbox)
        }
    }

    /// Takes the user's seat in a call on this line, as a page does that was loaded anew.
    package func takeSeat(
        in id: CallID, replacing old: SessionID?, keepsMedia: Bool, by guest: Guest
    ) throws(RequestError) -> CallView {
        try self.withCalls { calls, outbox, _ throws(CallRefusal) in
            try calls.seatTaken(id, by: guest.line, replacing: old, keepsMedia: keepsMedia, into: &outbox)
        }
    }

    /// Two who talked when the last run of the server ended take their seats again, if they come soon.
    package func resume(_ calls: [RunningCall]) {
        for call in calls { self.calls.resumed(call, at: self.now) }
        self.armAlarm()
    }

    /// Something for the other side of a call.
    package func signal(
        _ content: SignalContent, _ json: [UInt8], in id: CallID, from guest: Guest
    ) throws(RequestError) {
        let route: CallRoute
        do throws(CallRefusal) {
            route = try self.calls.route(id, from: guest.line)
        } catch {
            throw RequestError(error)
        }
        switch route {
        case .deliver(let session), .keep(let session):
            self.tell(.signal(RelayedSignal(.call(id), from: guest.session, content, json: json)), to: session)
        }
    }
}

// MARK: - Orders

extension Switchboard {
    private func withCalls<Answer>(
        _ event: (inout CallTable, inout CallOutbox, Instant) throws(CallRefusal) -> Answer
    ) throws(RequestError) -> Answer {
        defer { self.carryOutCalls() }
        do throws(CallRefusal) {
            return try event(&self.calls, &self.callOutbox, self.now)
        } catch {
            throw RequestError(error)
        }
    }

    func carryOutCalls() {
        // Taken out, for a copy would give its memory away.
        var outbox = CallOutbox()
        swap(&outbox, &self.callOutbox)
        for order in outbox.orders { self.carryOut(order.action, of: order.call) }
        outbox.removeAll()
        swap(&outbox, &self.callOutbox)
        self.armAlarm()
    }

    private func carryOut(_ action: CallOutbox.Action, of call: CallID) {
        switch action {
        case .ring(let session, let invitation):
            self.tell(.call(call, .incoming(from: self.person(invitation.caller), invitation.kind)), to: session)
        case .ringing(let session): self.tell(.call(call, .ringing(byPush: false)), to: session)
        case .push(let invitation):
            let caller = self.person(invitation.caller)
            self.onCallPush(invitation, caller.name ?? DisplayName(of: caller.user))
        case .pushed(let session): self.tell(.call(call, .ringing(byPush: true)), to: session)
        case .withdrawPush: self.onCallPushWithdrawn(call)
        case .connected(let session, let connection):
            if connection.role == .caller, let running = self.calls.running(call) { self.onCallAnswered(running) }
            self.tell(.call(call, .connected(connection, peer: self.person(connection.peer))), to: session)
        case .peerAway(let session): self.tell(.call(call, .peerAway), to: session)
        case .peerBack(let session, let peer, let keepsMedia):
            self.tell(.call(call, .peerBack(peer, keepsMedia: keepsMedia)), to: session)
        case .ended(let session, let ending): self.tell(.call(call, .ended(ending)), to: session)
        case .record(let record): self.onCallEnded(record)
        }
    }

    /// A user may not stay: no call waits for them, and their seats in rooms are free.
    package func sentAway(_ user: UserID) {
        self.calls.userRemoved(user, at: self.now, into: &self.callOutbox)
        self.carryOutCalls()
        let rooms = self.guests.values.filter { $0.user == user }.reduce(into: Set()) { $0.formUnion($1.rooms) }
        for room in rooms {
            self.changeRoom(room) { machine, outbox in machine.removed(user, into: &outbox) }
        }
    }

    /// The server goes down: who rings is told that it is over.
    package func stop() {
        self.calls.serverStopped(at: self.now, into: &self.callOutbox)
        self.carryOutCalls()
    }
}

extension RequestError {
    init(_ refusal: CallRefusal) {
        switch refusal {
        case .unknownCall: self.init(.notFound, "there is no such call")
        case .ended(let outcome): self.init(.callOver, "the call is over: \(outcome.rawValue)")
        case .stillRinging: self.init(.notAnswered, "the callee has not answered yet")
        case .notYours: self.init(.forbidden, "this is not your part of the call")
        case .answeredElsewhere: self.init(.answeredElsewhere, "another of your devices has the call")
        case .seatTaken: self.init(.conflict, "another of your lines sits there; name it to take its place")
        case .callsThemselves: self.init(.badRequest, "users cannot ring themselves")
        case .tooManyCalls: self.init(.tooManyCalls, "you are in as many calls as one may be")
        case .nameTaken: self.init(.conflict, "another call has this name")
        }
    }
}
