package import Vocabulary

extension CallDesk {
    /// Somebody rings somebody, whose lines that are up are `devices`. Returns the name of the call they are in then.
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
    /// without a word: an app that was closed, a page that was loaded anew. Nobody should find the other one busy with
    /// their own ghost.
    private mutating func leaveEarlierCalls(
        _ invitation: CallInvitation, at now: Instant, into outbox: inout CallOutbox
    ) {
        for id in self.calls(of: invitation.caller.user) where self.calls[id]?.concerns(invitation.callee) == true {
            self.change(id) { call in call.forsaken(by: invitation.caller, at: now, into: &outbox) }
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
