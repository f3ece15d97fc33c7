package import Calling
internal import Clustering
package import Operations
internal import Pacing
package import Vocabulary

extension Switchboard {
    /// Rings all devices of a user. Answers the name of the call, also when it turned out to be an earlier one.
    package func invite(
        _ callee: UserID, _ kind: CallKind, as id: CallID, from guest: Guest,
        _ answer: @escaping (Result<CallID, RequestError>) -> Void
    ) {
        if let wait = guest.invitations.take(at: self.now) {
            return answer(.failure(RequestError(.rateLimited, "too many calls at once", retryAfter: wait)))
        }
        let invitation = CallInvitation(id, from: guest.line, to: callee, kind: kind)
        self.askBlocked(guest.user, by: callee) { [unowned self] isBlocked in
            guard !isBlocked else {
                return answer(.failure(RequestError(.blocked, "they do not want to hear from you")))
            }
            self.submit(.invite(invitation)) { result in
                guard case .success(.call(let call)) = result else { return answer(.failure(result.error)) }
                answer(.success(call))
            }
        }
    }

    /// Whom somebody blocks is known here while one of their lines is.
    private func askBlocked(_ user: UserID, by other: UserID, _ answer: @escaping (Bool) -> Void) {
        let isElsewhere = self.ledger?.isAlone == false && !self.blocks.knows(other) && self.presence.isOnline(other)
        guard isElsewhere else { return answer(self.isBlocked(user, by: other)) }
        self.onForeignBlock(user, other, answer)
    }

    /// The callee of a call has devices that are being woken, or none.
    package func pushed(_ id: CallID, _ areThereDevices: Bool) { self.submit(.pushed(id, areThereDevices)) }

    /// How many ring, or have two who talk.
    package var callCount: Int { self.calls.count }

    /// The device takes so many calls at once.
    package func answer(_ count: Int, by guest: Guest) { self.submit(.answers(count, guest.line)) }

    /// The device rings, takes the call, refuses or ends it, or cannot do its part.
    package func act(
        _ act: SharedChange.CallAct, in id: CallID, by guest: Guest, _ answer: @escaping SharedAnswer
    ) {
        self.submit(.act(id, guest.line, act), answer)
    }

    /// Takes the user's seat in a call on this line, as a page does that was loaded anew.
    package func takeSeat(
        in id: CallID, replacing old: SessionID?, keepsMedia: Bool, by guest: Guest,
        _ answer: @escaping (Result<CallView, RequestError>) -> Void
    ) {
        self.submit(.take(id, guest.line, replacing: old, keepsMedia: keepsMedia)) { result in
            guard case .success(.seat(let view)) = result else { return answer(.failure(result.error)) }
            answer(.success(view))
        }
    }

    /// The one in a seat keeps what is said from now on, or no longer, and the other side is told.
    package func record(in id: CallID, _ isOn: Bool, by guest: Guest, _ answer: @escaping SharedAnswer) {
        self.submit(.recordCall(id, guest.line, since: isOn ? self.wallTime : nil), answer)
    }

    /// Two who talked when the last run of the server ended take their seats again, if they come soon.
    package func resume(_ calls: [RunningCall]) {
        for call in calls { self.submit(.resumed(call)) }
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
            try self.deliver(RelayedSignal(.call(id), from: guest.session, content, json: json), to: session)
        }
    }
}

// MARK: - Changes

extension Switchboard {
    func carryOut(ofCall change: SharedChange) throws(RequestError) -> SharedOutcome {
        switch change {
        case .invite(let invitation): return .call(try self.invited(invitation))
        case .take(let id, let line, let old, let keepsMedia):
            return .seat(
                try self.withCalls { calls, outbox, _ throws(CallRefusal) in
                    try calls.seatTaken(id, by: line, replacing: old, keepsMedia: keepsMedia, into: &outbox)
                })
        case .act(let id, let line, let act): try self.carryOut(act, in: id, by: line)
        case .recordCall(let id, let line, let start):
            try self.withCalls { calls, outbox, _ throws(CallRefusal) in
                try calls.recorded(id, by: line, since: start, into: &outbox)
            }
        case .answers(let count, let line): self.calls.answers(count, on: line)
        case .pushed(let id, let areThereDevices):
            self.calls.pushed(id, areThereDevices, at: self.moment, into: &self.callOutbox)
            self.carryOutCalls()
        case .resumed(let call):
            self.calls.resumed(call, at: self.moment)
            self.armAlarm()
        default: break
        }
        return .done
    }

    private func invited(_ invitation: CallInvitation) throws(RequestError) -> CallID {
        let devices = self.presence.lines(of: invitation.callee)
        let known = self.calls.begun
        return try self.withCalls { calls, outbox, now throws(CallRefusal) in
            defer { if calls.begun > known { self.happened(.callStarted(invitation)) } }
            return try calls.invited(invitation, ringing: devices, at: now, into: &outbox)
        }
    }

    private func carryOut(_ act: SharedChange.CallAct, in id: CallID, by line: Line) throws(RequestError) {
        try self.withCalls { calls, outbox, now throws(CallRefusal) in
            switch act {
            case .acknowledge: try calls.acknowledged(id, by: line, into: &outbox)
            case .accept: try calls.accepted(id, by: line, at: now, into: &outbox)
            case .decline: try calls.declined(id, by: line, at: now, into: &outbox)
            case .hangUp: try calls.hungUp(id, by: line, at: now, into: &outbox)
            case .fail: try calls.failed(id, by: line, at: now, into: &outbox)
            }
        }
    }

    private func withCalls<Answer>(
        _ event: (inout CallTable, inout CallOutbox, Instant) throws(CallRefusal) -> Answer
    ) throws(RequestError) -> Answer {
        defer { self.carryOutCalls() }
        do throws(CallRefusal) {
            return try event(&self.calls, &self.callOutbox, self.moment)
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
            guard self.isOrigin else { return }
            let caller = self.person(invitation.caller)
            self.onCallPush(invitation, caller.name ?? DisplayName(of: caller.user))
        case .pushed(let session): self.tell(.call(call, .ringing(byPush: true)), to: session)
        case .withdrawPush: self.onCallPushWithdrawn(call)
        case .connected(let session, let connection):
            if connection.role == .caller, let running = self.calls.running(call) {
                self.happened(.callAnswered(running))
            }
            self.tell(.call(call, .connected(connection, peer: self.person(connection.peer))), to: session)
        case .peerAway(let session): self.tell(.call(call, .peerAway), to: session)
        case .peerBack(let session, let peer, let keepsMedia):
            self.tell(.call(call, .peerBack(peer, keepsMedia: keepsMedia)), to: session)
        case .recording(let session, let start): self.tell(.call(call, .recording(since: start)), to: session)
        case .ended(let session, let ending):
            self.onUnseated(session, .call(call))
            self.tell(.call(call, .ended(ending)), to: session)
        case .record(let record): self.happened(.callEnded(record))
        }
    }

    /// A user may not stay: no call waits for them, and their seats in rooms are free.
    package func sentAway(_ user: UserID, _ answer: @escaping SharedAnswer) { self.submit(.sentAway(user), answer) }

    func sendAway(_ user: UserID) {
        self.calls.userRemoved(user, at: self.moment, into: &self.callOutbox)
        self.carryOutCalls()
        let ours = self.guests.values.filter { $0.user == user }.map(\.rooms)
        let others = self.strangers.values.filter { $0.user == user }.map(\.rooms)
        for room in Self.inOrder(Set((ours + others).joined())) {
            self.changeRoom(room) { machine, outbox in machine.removed(user, into: &outbox) }
        }
    }

    /// The server goes down: who rings is told that it is over.
    package func stop() {
        // With other nodes they ring on.
        guard !self.hasOtherNodes else { return }
        self.origin = (self.ledger?.rank ?? 0) == 0 ? .alone : .elsewhere
        self.moment = self.sharedNow
        self.calls.serverStopped(at: self.moment, into: &self.callOutbox)
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
