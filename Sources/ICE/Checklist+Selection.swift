internal import STUN
internal import Vocabulary

// Nomination (RFC 8445 §8.1): the first valid pair at once, a better one as soon as it succeeds, a reserve as soon as the
// selected pair falls silent.

extension Checklist {
    /// Whether a check on this pair says at once that it is to be used (docs/decisions/ice.md).
    func nominates(_ index: Int) -> Bool {
        guard let selected = self.selectedIndex else { return true }
        return index == selected || self.pairs[index].priority > self.pairs[selected].priority
    }

    /// We control, and a check of ours succeeded.
    mutating func choose(
        _ index: Int, _ check: OutstandingChecks.Check, at now: Instant, _ context: ICEContext,
        into outbox: inout Outbox<ICEEvent>
    ) {
        guard let selected = self.selectedIndex else {
            if check.nominates { self.select(index, context, at: now, into: &outbox) } else { self.trigger(index) }
            return
        }
        guard self.pairs[index].priority > self.pairs[selected].priority else { return }
        guard check.nominates else { return self.trigger(index) }
        self.select(index, context, at: now, into: &outbox)
    }

    /// They control: of the pairs they nominate the best, and of their renominations the last.
    ///
    /// - Parameter isAsked: they want it right now, and not some time ago.
    mutating func acceptNomination(
        _ index: Int, isAsked: Bool, at now: Instant, _ context: ICEContext, into outbox: inout Outbox<ICEEvent>
    ) {
        let pair = self.pairs[index]
        guard context.role == .controlled, pair.isNominated, pair.id != self.selected else { return }
        if let selected = self.selectedIndex {
            let current = self.pairs[selected]
            let isBetter = pair.priority > current.priority && pair.nomination >= current.nomination
            let isLater = pair.nomination > current.nomination
            // Some take back a nomination only by making another; then the old pair is silent.
            let isAlone = isAsked && now >= current.lastReceived + context.settings.silence
            guard isBetter || isLater || isAlone && pair.nomination >= current.nomination else { return }
        }
        self.select(index, context, at: now, into: &outbox)
        self.keepReserves(context)
    }

    /// The controlled side has lost the selected pair and sends on another one: the nomination follows it.
    mutating func acceptPeerSwitch(
        _ index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard context.role == .controlling, self.pairs[index].isRequestedByPeer, self.pairs[index].state == .succeeded,
            self.pairs[index].id != self.selected
        else { return }
        self.pairs[index].isRequestedByPeer = false
        // What they have left is as dead as it can be, however lately it was alive.
        if let selected = self.selectedIndex { self.pairs[selected].lastReceived = Instant(nanoseconds: .min) }
        self.replace(by: index, &context, at: now, into: &outbox)
    }

    /// Priorities have changed because a candidate turned out to be another kind than it looked like. Pairs that were
    /// alive a moment ago are compared anew.
    mutating func reconsider(_ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard let selected = self.selectedIndex else { return }
        let alive = self.pairs.indices.filter {
            self.pairs[$0].state == .succeeded && self.pairs[$0].lastReceived + .seconds(1) > now
        }
        guard let best = alive.max(by: { self.pairs[$0].priority < self.pairs[$1].priority }), best != selected,
            self.pairs[best].priority > self.pairs[selected].priority
        else { return }
        switch context.role {
        case .controlling: self.replace(by: best, &context, at: now, into: &outbox)
        case .controlled: self.acceptNomination(best, isAsked: false, at: now, context, into: &outbox)
        }
    }

    mutating func select(_ index: Int, _ context: ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        let pair = self.pairs[index]
        guard pair.id != self.selected else { return }
        self.selected = pair.id
        self.searchEnd = now + context.settings.reserveSearch
        self.selectedChanges += 1
        self.hasLostAll = false
        self.pathProbe.stop()
        self.nomination.settled()
        outbox.events.append(.selected(path: pair.path, remote: pair.remote.address))
    }

    /// The reserves are those that share least with the pair in use: another way of ours first.
    mutating func keepReserves(_ context: ICEContext) {
        guard let selected = self.selectedIndex else { return }
        let path = self.pairs[selected].path
        let valid = self.pairs.indices.filter { $0 != selected && self.pairs[$0].state == .succeeded }
        let ordered = valid.sorted { left, right in
            let (left, right) = (self.pairs[left], self.pairs[right])
            return (left.path != path ? 1 : 0, left.priority) > (right.path != path ? 1 : 0, right.priority)
        }
        for index in self.pairs.indices { self.pairs[index].isKept = index == selected }
        for index in ordered.prefix(context.settings.reserves) { self.pairs[index].isKept = true }
    }

    /// The pair in use is no more. The best one that works takes its place at once.
    mutating func fallBack(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let usable = self.pairs.indices.filter {
            self.pairs[$0].state == .succeeded && self.pairs[$0].consentUntil > now
                && self.pairs[$0].id != self.selected
        }
        self.pathProbe.stop()
        guard let best = usable.max(by: { self.pairs[$0].priority < self.pairs[$1].priority }) else { return }
        self.replace(by: best, &context, at: now, into: &outbox)
    }

    /// Uses another pair for reasons of our own, and says so until it is heard.
    private mutating func replace(
        by index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.select(index, context, at: now, into: &outbox)
        self.keepReserves(context)
        self.nomination.moved(to: self.pairs[index].id, nominated: self.pairs[index].nomination, at: now)
        self.retryNomination(&context, at: now, into: &outbox)
    }

    mutating func retryNomination(_ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.nomination.isDue(on: self.selected, at: now), let index = self.selectedIndex else { return }
        self.sendRequest(index, &context, at: now, into: &outbox)
    }

    // MARK: A lite agent

    /// It sends no checks, so theirs have to do for both ways (RFC 8445 §7.3.2).
    mutating func acceptedLite(
        _ index: Int, _ context: ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.pairs[index].state = .succeeded
        self.pairs[index].consentUntil = now + context.settings.consentLifetime
        self.acceptNomination(index, isAsked: true, at: now, context, into: &outbox)
    }
}

// MARK: - Silence

extension Checklist {
    mutating func noticeSilence(at now: Instant) {
        guard let selected = self.selectedIndex,
            self.pathProbe.noticesSilence(since: self.pairs[selected].lastReceived, at: now)
        else { return }
        let alternatives = self.pairs.filter { $0.state == .succeeded && $0.id != self.selected }
        guard let best = alternatives.max(by: { $0.priority < $1.priority }) else { return }
        self.pathProbe.begin(alternative: best.id, roundTrip: self.pairs[selected].roundTrip, at: now)
    }

    mutating func resolvePathProbe(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let step = self.pathProbe.step(lastReceived: self.lastReceived, at: now) else { return }
        switch step {
        case .ask:
            guard let selected = self.selectedIndex else { return }
            self.sendRequest(selected, &context, at: now, into: &outbox)
        case .moveTo(let pair):
            guard let index = self.index(of: pair), self.pairs[index].state == .succeeded,
                self.pairs[index].consentUntil > now
            else { return }
            self.replace(by: index, &context, at: now, into: &outbox)
        }
    }
}

// MARK: - A way that is gone

extension Checklist {
    mutating func lost(
        _ path: PathID, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let wasSelected = self.selectedIndex.map { self.pairs[$0].path == path } ?? false
        self.remove(path)
        guard wasSelected else { return }
        self.fallBack(&context, at: now, into: &outbox)
        guard self.selected == nil else { return }
        self.hasLostAll = true
        self.tryAgain()
    }

    /// The first pair that works again is used at once, in either role: the other side may not know yet that there is
    /// something amiss.
    mutating func recover(
        by index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.replace(by: index, &context, at: now, into: &outbox)
    }

    /// What was given up because there was something better may be all that is left. Pairs whose consent has ended stay
    /// as they are: only a restart may ask there again (RFC 7675 §5.1).
    private mutating func tryAgain() {
        for index in self.pairs.indices where self.pairs[index].state == .failed {
            guard self.pairs[index].consentUntil == Instant(nanoseconds: .min) else { continue }
            self.pairs[index].state = .waiting
            self.pairs[index].firstAttempt = nil
            self.pairs[index].attempts = 0
        }
    }
}
