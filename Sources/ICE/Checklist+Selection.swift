internal import STUN
internal import Vocabulary

// Which of the pairs that work is used: the first at once, a better one as soon as there is one, another one as soon
// as it is in doubt.

extension Checklist {
    /// Doubt about the pair in use, because it fell silent while another one shows signs of life.
    struct Doubt: Sendable {
        let since: Instant
        let until: Instant
        var nextProbe: Instant
        let alternative: Int
    }

    /// Whether a check on this pair says at once that it is to be used (docs/decisions/ice.md).
    func nominates(_ index: Int) -> Bool {
        guard let selected = self.selectedIndex else { return true }
        return index == selected || self.pairs[index].priority > self.pairs[selected].priority
    }

    /// We control, and a check of ours succeeded.
    mutating func choose(
        _ index: Int, _ check: Check, at now: Instant, _ context: ICEContext, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let selected = self.selectedIndex else {
            if check.nominates { self.select(index, at: now, into: &outbox) } else { self.trigger(index) }
            return
        }
        guard self.pairs[index].priority > self.pairs[selected].priority else { return }
        guard check.nominates else { return self.trigger(index) }
        self.select(index, at: now, into: &outbox)
    }

    /// They control. Of pairs they want, the best; of their changes of mind, the last.
    mutating func obey(
        _ index: Int, at now: Instant, _ context: ICEContext, into outbox: inout Outbox<ICEEvent>
    ) {
        let pair = self.pairs[index]
        guard context.role == .controlled, pair.isNominated, pair.id != self.selected else { return }
        if let selected = self.selectedIndex {
            let current = self.pairs[selected]
            let isBetter = pair.priority > current.priority && pair.nomination >= current.nomination
            let isLater = pair.nomination > current.nomination
            // Some take back a nomination only by making another; then the old pair is silent.
            let isAlone = now >= current.lastReceived + .milliseconds(150) && current.nomination <= pair.nomination
            guard isBetter || isLater || isAlone else { return }
        }
        self.select(index, at: now, into: &outbox)
        self.keepReserves(context)
    }

    mutating func select(_ index: Int, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        let pair = self.pairs[index]
        guard pair.id != self.selected else { return }
        self.selected = pair.id
        self.selectedAt = now
        self.selectedChanges += 1
        self.doubt = nil
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
        self.doubt = nil
        guard let best = usable.max(by: { self.pairs[$0].priority < self.pairs[$1].priority }) else { return }
        self.replace(by: best, &context, at: now, into: &outbox)
    }

    private mutating func replace(
        by index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.nomination += 1
        self.select(index, at: now, into: &outbox)
        self.keepReserves(context)
        // Tells the other side, by its flag or by its mere coming.
        self.sendRequest(index, &context, at: now, into: &outbox)
        self.trigger(index)
    }

    // MARK: A lite agent

    /// It sends no checks, so theirs have to do for both ways (RFC 8445 §7.3.2).
    mutating func acceptedLite(
        _ index: Int, _ context: ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.pairs[index].state = .succeeded
        self.pairs[index].consentUntil = now + context.settings.consentLifetime
        self.obey(index, at: now, context, into: &outbox)
    }
}

// MARK: - Doubt

extension Checklist {
    /// They check another pair than the one in use. That may be mere keeping warm, or they have lost the one in use:
    /// ask there, quickly.
    mutating func noticeActivity(on index: Int, at now: Instant) {
        guard let selected = self.selectedIndex, selected != index, self.doubt == nil,
            now >= self.pairs[selected].lastReceived + .milliseconds(60)
        else { return }
        self.beginDoubt(selected, alternative: self.pairs[index].id, at: now)
    }

    /// Whoever sent fifty packets a second and stopped has paused, or is cut off.
    mutating func noticeSilence(at now: Instant) {
        guard let selected = self.selectedIndex, self.doubt == nil, let quiet = self.quietDeadline, now >= quiet,
            case let alternatives = self.pairs.filter({ $0.state == .succeeded && $0.id != self.selected })
        else { return }
        self.streamedPackets = 0
        guard let best = alternatives.max(by: { $0.priority < $1.priority }) else { return }
        self.beginDoubt(selected, alternative: best.id, at: now)
    }

    /// When a stream that was dense is suspiciously late.
    var quietDeadline: Instant? {
        guard self.streamedPackets >= 10, self.doubt == nil, let selected = self.selectedIndex else { return nil }
        return self.pairs[selected].lastReceived + .milliseconds(300)
    }

    private mutating func beginDoubt(_ selected: Int, alternative: Int, at now: Instant) {
        let roundTrip = self.pairs[selected].roundTrip ?? .milliseconds(100)
        self.doubt = Doubt(
            since: now, until: now + max(roundTrip * 2, .milliseconds(120)), nextProbe: now, alternative: alternative)
    }

    mutating func resolveDoubt(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard var doubt = self.doubt else { return }
        guard let selected = self.selectedIndex, self.pairs[selected].lastReceived <= doubt.since else {
            self.doubt = nil
            return
        }
        if now >= doubt.until {
            self.doubt = nil
            guard let index = self.index(of: doubt.alternative), self.pairs[index].state == .succeeded,
                self.pairs[index].consentUntil > now
            else { return }
            return self.replace(by: index, &context, at: now, into: &outbox)
        }
        guard now >= doubt.nextProbe else { return }
        doubt.nextProbe = now + .milliseconds(40)
        self.doubt = doubt
        self.sendRequest(selected, &context, at: now, into: &outbox)
    }
}

// MARK: - A way that is gone

extension Checklist {
    mutating func lost(
        _ path: PathID, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let wasSelected = self.selectedIndex.map { self.pairs[$0].path == path } ?? false
        self.remove(path)
        if wasSelected { self.fallBack(&context, at: now, into: &outbox) }
    }
}
