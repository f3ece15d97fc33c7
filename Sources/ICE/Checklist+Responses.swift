internal import STUN
internal import Vocabulary

// What the answers to our checks tell (RFC 8445 §7.2.5).

extension Checklist {
    /// Nil when the transaction is none of ours.
    mutating func responded(
        _ message: STUNMessage, on path: PathID, from address: SocketAddress, _ context: inout ICEContext,
        at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt? {
        guard let place = self.outstanding.index(of: message.transaction.low) else { return nil }
        // Only who knows the password was asked. Others may guess on, the question stays open.
        guard let remote = self.remote, message.isAuthentic(remote.key) else { return .ignored }
        let check = self.outstanding.remove(at: place)
        guard let index = self.index(of: check.pair) else { return .handled }
        guard path == self.pairs[index].path, address == self.pairs[index].remote.address else {
            // What comes back another way is no way for packets (§7.2.5.2.1).
            if self.pairs[index].isUndecided { self.pairs[index].state = .failed }
            return .handled
        }
        self.pairs[index].counters.responsesReceived += 1
        self.pairs[index].lastReceived = now
        if message.type.class == .error {
            self.refused(check, index, message.errorCode, &context, into: &outbox)
        } else {
            context.handshake.read(message)
            self.pairs[index].mapped = message.mappedAddress?.unmappingIPv4
            self.noteReflexive(index, &context)
            self.succeeded(check, index, &context, at: now, into: &outbox)
        }
        return .handled
    }

    private mutating func refused(
        _ check: OutstandingChecks.Check, _ index: Int, _ code: STUNErrorCode?, _ context: inout ICEContext,
        into outbox: inout Outbox<ICEEvent>
    ) {
        switch code {
        case .roleConflict:
            // Unless we have changed since we asked.
            if check.role == context.role, !context.settings.isLite { self.switchRole(&context, into: &outbox) }
            self.trigger(index)
        default:
            if self.pairs[index].isUndecided { self.pairs[index].state = .failed }
        }
    }

    private mutating func succeeded(
        _ check: OutstandingChecks.Check, _ index: Int, _ context: inout ICEContext, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        self.pairs[index].measured(check.sentAt.duration(to: now))
        // The check that makes a pair valid was the first question for consent.
        if self.pairs[index].state != .succeeded {
            self.pairs[index].nextConsent = now + context.jittered(context.settings.consentInterval)
        }
        self.pairs[index].state = .succeeded
        self.pairs[index].isTrusted = true
        self.pairs[index].consentUntil = now + context.settings.consentLifetime
        // The question went there and the answer came back: nothing else has to be asked before.
        self.schedule.cancel(check.pair)
        switch context.role {
        case _ where self.hasLostAll: self.recover(by: index, &context, at: now, into: &outbox)
        case .controlling: self.choose(index, check, at: now, context, into: &outbox)
        case .controlled: self.acceptNomination(index, isAsked: false, at: now, context, into: &outbox)
        }
        self.nomination.answered(check)
        self.acceptPeerSwitch(index, &context, at: now, into: &outbox)
        self.keepReserves(context)
    }

    /// The pair is one between what they see of us and what we see of them (§7.2.5.3.2), and gets its priority from
    /// these. An address that only the other peer sees is a candidate, too; it is not signalled (§7.2.5.3.1).
    private mutating func noteReflexive(_ index: Int, _ context: inout ICEContext) {
        guard let address = self.pairs[index].mapped, let place = context.index(of: self.pairs[index].path) else {
            return
        }
        let local = context.paths[place]
        let known = local.candidates.first { $0.address == address }
        self.pairs[index].localPriority = known?.priority ?? local.reflexivePriority
        self.pairs[index].priority = self.priority(self.pairs[index], context.role)
        guard known == nil, local.candidates.count < context.settings.maximumRemotes else { return }
        let foundation = context.foundation(
            .peerReflexive, base: local.path.address.ip, server: nil, isTCP: local.path.transport.isTCP)
        context.paths[place].candidates.append(
            ICECandidate(
                foundation: foundation, transport: local.path.transport, priority: local.reflexivePriority,
                host: .ip(address.ip), port: address.port, kind: .peerReflexive, related: local.path.address))
    }
}
