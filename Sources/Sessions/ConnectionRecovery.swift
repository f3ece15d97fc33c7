package import SocketIO
package import Vocabulary

/// One client's place, kept while its line is down: it comes back to exactly what it missed, or is told that it
/// cannot. A place may be handed over to another node, which goes on with it.
///
///     attached ──link lost──▶ away ──resumed──▶ attached ──link lost──▶ …
///        │  ▲                  │
///        │  └─resumed by       ├── window passed ──▶ over
///        │    another link     └── gap in the log ─▶ over
///        └── left, handed over ──▶ over
///
/// It works again and again, with the same key, for as long as the client comes back inside of the window. Who it was
/// may no longer be let in: that is asked anew, by others, before `resumed` is.
package struct ConnectionRecovery: ~Copyable {
    package enum Refusal: Error, Hashable, Sendable {
        /// It came too late, or it had left.
        case over
        /// The log does not reach back to what the client names, or never knew it.
        case gap
    }

    private enum State: Sendable {
        /// Can become: away, over.
        case attached
        /// Can become: attached, over.
        case away(until: Instant)
        /// The last state.
        case over
    }

    package let key: ResumeKey
    private let window: Duration
    private var log: ReplayLog
    private var state: State = .attached

    package init(key: ResumeKey, window: Duration = .seconds(120), limits: ReplayLog.Limits = ReplayLog.Limits()) {
        self.key = key
        self.window = window
        self.log = ReplayLog(limits: limits)
    }

    /// As another node kept it, whose client is on its way here.
    package init(key: ResumeKey, window: Duration, takingOver log: ReplayLog, at now: Instant) {
        self.key = key
        self.window = window
        self.log = log
        self.state = .away(until: now + window)
    }

    /// Another node goes on with what was sent; here it is over.
    package mutating func handedOver() -> ReplayLog? {
        guard !self.isOver else { return nil }
        self.state = .over
        return self.log
    }

    package var isOver: Bool {
        if case .over = self.state { true } else { false }
    }

    package var deadline: Instant? {
        if case .away(let until) = self.state { until } else { nil }
    }

    /// An event for this client. True when there is a link to write it to.
    ///
    /// Every event with an offset passes through here, also one that is not worth a second time (with no packets).
    /// An event that asks for an ack has no offset and does not: its ack, or the lack of it, tells its sender.
    package mutating func record(_ packets: [EncodedPacket], as offset: EventOffset) -> Bool {
        switch self.state {
        case .attached:
            self.log.append(packets, as: offset)
            return true
        case .away:
            self.log.append(packets, as: offset)
            return false
        case .over:
            return false
        }
    }

    package mutating func pingSent() {
        if case .attached = self.state { self.log.pingSent() }
    }

    package mutating func pongReceived() {
        if case .attached = self.state { self.log.pongReceived() }
    }

    package mutating func linkLost(at now: Instant) {
        guard case .attached = self.state else { return }
        self.state = .away(until: now + self.window)
    }

    /// The client went for good, or was sent away.
    package mutating func left() {
        self.state = .over
    }

    package mutating func clockAdvanced(to now: Instant) {
        guard case .away(let until) = self.state, now >= until else { return }
        self.state = .over
    }

    /// A new link shows the key and says how far its client got; the old one may still look alive. Answers what the
    /// client missed, to be sent in this order before anything new. A refusal is final.
    package mutating func resumed(
        from position: RecoveryRequest.Position, at now: Instant
    ) throws(Refusal) -> [[EncodedPacket]] {
        self.clockAdvanced(to: now)
        if case .over = self.state { throw .over }
        guard let missed = self.log.replay(from: position) else {
            self.state = .over
            throw .gap
        }
        self.state = .attached
        return missed
    }
}
