internal import STUN
internal import Vocabulary

// Which pair is checked next, and when (RFC 8445 §6.1.4).

extension Checklist {
    /// Sends the check that is due, if there is one.
    mutating func sendChecks(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard self.remote != nil, !context.settings.isLite else { return }
        if self.schedule.hasTriggered {
            guard let pair = self.schedule.takeTriggered(context.settings, at: now), let index = self.index(of: pair)
            else { return }
            return self.check(index, &context, at: now, into: &outbox)
        }
        guard now >= self.schedule.nextSlot else { return }
        self.giveUp(context, at: now)
        guard let index = self.nextOrdinary(at: now) else { return }
        self.check(index, &context, at: now, into: &outbox)
    }

    /// The best pair that waits, of a foundation that is not being checked, if there is one (RFC 8445 §6.1.2.6);
    /// then the one whose next attempt has waited longest.
    private func nextOrdinary(at now: Instant) -> Int? {
        var best: (index: Int, rank: Int)?
        for index in self.pairs.indices {
            let pair = self.pairs[index]
            let rank: Int
            switch pair.state {
            case .waiting: rank = self.isTried(pair) ? 1 : 2
            case .inProgress where now >= pair.nextAttempt: rank = 0
            case .inProgress, .succeeded, .failed: continue
            }
            if let best, best.rank > rank || best.rank == rank && !self.isSooner(index, than: best.index) { continue }
            best = (index, rank)
        }
        return best?.index
    }

    private func isSooner(_ index: Int, than other: Int) -> Bool {
        guard self.pairs[index].state == .inProgress, self.pairs[other].state == .inProgress else {
            return self.pairs[index].priority > self.pairs[other].priority
        }
        return self.pairs[index].nextAttempt < self.pairs[other].nextAttempt
    }

    /// Pairs that are no longer wanted or have timed out.
    private mutating func giveUp(_ context: ICEContext, at now: Instant) {
        for index in self.pairs.indices where self.pairs[index].isUndecided {
            if !self.isWanted(index, context, at: now) || self.hasTimedOut(self.pairs[index], context, at: now) {
                self.pairs[index].state = .failed
            }
        }
    }

    private func isTried(_ pair: CandidatePair) -> Bool {
        self.pairs.contains {
            $0.state == .inProgress && $0.localFoundation == pair.localFoundation
                && $0.remote.foundation == pair.remote.foundation
        }
    }

    private func hasTimedOut(_ pair: CandidatePair, _ context: ICEContext, at now: Instant) -> Bool {
        guard let first = pair.firstAttempt else { return false }
        return now >= first + context.settings.checkTimeout && now >= pair.nextAttempt
    }

    /// While nothing is selected every pair is worth a try, then those that are better, and for a while after each news
    /// those that would be a reserve.
    private func isWanted(_ index: Int, _ context: ICEContext, at now: Instant) -> Bool {
        guard let selected = self.selectedIndex else { return true }
        if self.pairs[index].priority > self.pairs[selected].priority { return true }
        // A reserve is not worth a connection.
        return now < self.searchEnd && !self.pairs[index].needsDialing
    }

    mutating func trigger(_ index: Int) { self.schedule.trigger(self.pairs[index].id) }

    private mutating func check(
        _ index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.schedule.sent(context.settings, at: now)
        if self.pairs[index].state != .succeeded {
            self.pairs[index].state = .inProgress
            self.pairs[index].firstAttempt = self.pairs[index].firstAttempt ?? now
        }
        self.pairs[index].attempts += 1
        self.pairs[index].nextAttempt = now + self.pairs[index].interval
        if self.pairs[index].needsDialing { return self.dial(index, at: now, into: &outbox) }
        self.sendRequest(index, &context, at: now, into: &outbox)
    }

    /// A check over TCP waits for its connection (RFC 6544 §6.1); it is asked for once.
    private mutating func dial(_ index: Int, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.pairs[index].nextAttempt = .distant
        outbox.events.append(.dial(path: self.pairs[index].path, self.pairs[index].remote.address))
    }

    /// What became of it: a way of its own, or nothing.
    mutating func dialed(_ path: PathID, to address: SocketAddress, _ connection: PathID?) {
        guard
            let index = self.pairs.firstIndex(where: { pair in
                pair.needsDialing && pair.path == path && pair.remote.address == address
            })
        else { return }
        guard let connection else {
            self.pairs[index].state = .failed
            return
        }
        self.pairs[index].path = connection
        self.pairs[index].needsDialing = false
        self.pairs[index].firstAttempt = nil
        self.trigger(index)
    }

    /// A Binding request on a pair, whatever it is for (RFC 8445 §7.2.2).
    mutating func sendRequest(
        _ index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let remote = self.remote else { return }
        let nominates = context.role == .controlling && self.nominates(index)
        let transaction = context.transaction()
        var message = outbox.packets.begin(.request, STUNMethod.binding, transaction)
        message.append(.username, remote.username.span)
        message.append(.priority, self.pairs[index].reflexivePriority)
        message.append(context.role == .controlling ? .iceControlling : .iceControlled, context.tieBreaker)
        if nominates { message.append(.useCandidate) }
        if self.nomination.value > 1, self.pairs[index].id == self.selected || nominates {
            message.append(.nomination, self.nomination.value)
        }
        context.handshake.write(to: &message)
        message.appendIntegrity(remote.key)
        message.appendFingerprint()
        outbox.packets.finish(message, from: self.pairs[index].path, to: self.pairs[index].remote.address)
        self.pairs[index].counters.requestsSent += 1
        self.outstanding.append(
            .init(
                transaction: transaction.low, pair: self.pairs[index].id, sentAt: now, role: context.role,
                nominates: nominates, nomination: self.nomination.value), timeout: context.settings.checkTimeout)
    }
}

// MARK: - When

extension Checklist {
    /// When the next check is due.
    func checkDeadline(_ context: ICEContext) -> Instant? {
        guard self.remote != nil, !context.settings.isLite else { return nil }
        if let deadline = self.schedule.triggeredDeadline(context.settings) { return deadline }
        var earliest: Instant?
        // Where they lie: a pair is large.
        for index in self.pairs.indices where self.pairs[index].isUndecided {
            let isWaiting = self.pairs[index].state == .waiting
            let moment = isWaiting ? self.schedule.nextSlot : self.pairs[index].nextAttempt
            if moment == .distant { continue }
            earliest = min(earliest ?? moment, moment)
        }
        return earliest.map { max($0, self.schedule.nextSlot) }
    }
}

extension STUNAttributeType {
    /// Which of many nominations is the latest (draft-thatcher-ice-renomination). Who does not know it loses nothing.
    static let nomination = Self(rawValue: 0xC001)
}
