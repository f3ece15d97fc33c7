package import Vocabulary

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

    /// Leaves no record: nobody talked under this name, and the other call has its own.
    private mutating func merged(
        _ ringing: CallRinging, into invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) -> CallMachine {
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
    /// Nobody's camera opens for a call they did not mean to be seen in.
    func common(with other: CallKind) -> CallKind { self == other ? self : .audio }
}
