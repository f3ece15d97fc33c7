import Vocabulary

/// What the lines of a call may know of it.
extension CallMachine {
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

    /// What the next run of the server has to know of two who talk.
    package var running: RunningCall? {
        switch self.state {
        case .talking(let talk):
            RunningCall(
                id: self.id, caller: talk[.caller].line, callee: talk[.callee].line, kind: self.kind,
                started: self.started, answered: talk.since)
        case .ringing, .ended, .merged: nil
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
        let peer = talk[role.other]
        return .talking(
            talk.connection(for: role, kind: self.kind), isPeerAway: peer.isAway,
            peerRecordingSince: peer.recordingSince)
    }
}
