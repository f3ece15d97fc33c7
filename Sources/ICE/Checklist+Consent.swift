internal import STUN
internal import Vocabulary

// Consent freshness: packets go only where an authenticated peer has agreed to them within the last thirty seconds
// (RFC 7675).

extension Checklist {
    /// The pair that packets leave on now, if there is one that wants them.
    func sendingIndex(at now: Instant) -> Int? {
        guard let selected = self.selectedIndex, self.pairs[selected].consentUntil > now else { return nil }
        return selected
    }

    /// False when there is no consent.
    mutating func send(_ payload: Span<UInt8>, at now: Instant, into packets: inout PacketQueue) -> Bool {
        guard let index = self.sendingIndex(at: now) else {
            if let selected = self.selectedIndex {
                self.pairs[selected].counters.packetsDiscardedOnSend += 1
                self.pairs[selected].counters.bytesDiscardedOnSend += payload.count
            }
            return false
        }
        self.pairs[index].counters.packetsSent += 1
        self.pairs[index].counters.bytesSent += payload.count
        packets.append(from: self.pairs[index].path, to: self.pairs[index].remote.address, payload)
        return true
    }

    /// Whether a packet comes from an address that has passed an authenticated check.
    mutating func received(
        _ count: Int, on path: PathID, from address: SocketAddress, at now: Instant
    ) -> Bool {
        guard let index = self.index(on: path, to: address), self.pairs[index].isTrusted else { return false }
        if self.pairs[index].id == self.selected {
            self.pathProbe.received(after: self.pairs[index].lastReceived, at: now)
        }
        self.pairs[index].lastReceived = now
        self.pairs[index].counters.packetsReceived += 1
        self.pairs[index].counters.bytesReceived += count
        return true
    }

    mutating func keepConsent(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.expire(at: now)
        if self.selected != nil, self.selectedIndex.map({ self.pairs[$0].state == .succeeded }) != true {
            self.selected = nil
            self.fallBack(&context, at: now, into: &outbox)
        }
        guard !context.settings.isLite else { return }
        for index in self.pairs.indices where self.pairs[index].isKept && self.pairs[index].state == .succeeded {
            self.renewConsent(index, &context, at: now, into: &outbox)
        }
    }

    private mutating func expire(at now: Instant) {
        for index in self.pairs.indices where self.pairs[index].state == .succeeded {
            guard now >= self.pairs[index].consentUntil else { continue }
            self.pairs[index].state = .failed
            self.pairs[index].isKept = false
            self.pairs[index].isTrusted = false
            self.pairs[index].isNominated = false
        }
    }

    /// Each question is a new transaction and is asked once; the next one comes soon enough (RFC 7675 §5.1).
    private mutating func renewConsent(
        _ index: Int, _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard now >= self.pairs[index].nextConsent else { return }
        self.pairs[index].nextConsent = now + context.jittered(context.settings.consentInterval)
        self.pairs[index].counters.consentRequestsSent += 1
        self.sendRequest(index, &context, at: now, into: &outbox)
    }

    func consentDeadline(_ context: ICEContext) -> Instant? {
        var earliest: Instant?
        for index in self.pairs.indices where self.pairs[index].state == .succeeded {
            var moment = self.pairs[index].consentUntil
            if self.pairs[index].isKept, !context.settings.isLite {
                moment = min(moment, self.pairs[index].nextConsent)
            }
            earliest = min(earliest ?? moment, moment)
        }
        return earliest
    }

    /// When to look again, if time is all that happens.
    func deadline(_ context: ICEContext) -> Instant? {
        let earliest = min(
            self.checkDeadline(context) ?? .distant, self.consentDeadline(context) ?? .distant,
            self.nomination.deadline ?? .distant,
            self.pathProbe.deadline(lastReceived: self.lastReceived) ?? .distant)
        return earliest == .distant ? nil : earliest
    }

    mutating func clockAdvanced(
        _ context: inout ICEContext, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.keepConsent(&context, at: now, into: &outbox)
        self.noticeSilence(at: now)
        self.resolvePathProbe(&context, at: now, into: &outbox)
        self.retryNomination(&context, at: now, into: &outbox)
        self.sendChecks(&context, at: now, into: &outbox)
    }
}

extension Instant {
    /// Later than everything.
    static let distant = Instant(nanoseconds: .max)
}
