package import SocketIO
package import Vocabulary

/// One Engine.IO session, from its handshake to its end: which transport carries it, who waits for whom, and how
/// long silence may last.
///
///     handshake ──▶ polling ──WebSocket arrives──▶ probing ──upgrade packet──▶ webSocket ◀── handshake
///                   │    ▲                            │                            │
///                   │    └── probe failed, too late ──┘                            │
///                   │                                 │                            │
///                   └──close, no poll waiting──▶ closing ──last poll, deadline──▶ ended ◀── close, lost,
///                                                                                       silent, wrong
///
/// Packets that arrive are not handed in: the session is told their kind and says whether the shell may deliver
/// them. Packets that leave are shared and never copied. The shell holds requests and the socket, keeps the one timer
/// at `deadline`, and empties the outbox after every event.
package struct EngineSession: ~Copyable {
    /// The way by which something came.
    package enum Channel: Hashable, Sendable { case polling, webSocket }

    /// What becomes of a packet that came.
    package enum Reception: Hashable, Sendable {
        /// It is a message for whoever uses the session.
        case deliver
        /// The session has seen to it.
        case handled
    }

    /// How a POST is answered: 200 and `ok`, or 400.
    package enum PostAnswer: Hashable, Sendable { case ok, badRequest }

    enum State: Sendable {
        /// GETs wait, POSTs tell. Can become: probing, closing, ended.
        case polling
        /// The same, while a WebSocket shows what it can do. Can become: polling, webSocket, closing, ended.
        case probing(Upgrade)
        /// One WebSocket carries everything. Can become: ended.
        case webSocket
        /// We have closed it and wait for a poll to say so. Can become: ended.
        case closing(EngineEnd, until: Instant)
        /// The last state; kept to answer latecomers.
        case ended(EngineEnd)
    }

    struct Upgrade: Sendable {
        let deadline: Instant
        /// When a waiting poll may be let go; nil until the client has asked with its probe.
        var nextNoop: Instant?
    }

    package let sid: SessionID
    package let version: EngineVersion
    /// How polling answers must be put: see `EnginePayload`.
    package let base64Only: Bool
    let settings: EngineSettings
    var state: State
    var heartbeat: Heartbeat
    var queue = SendQueue()
    /// A GET is waiting for something to tell.
    var hasPoll = false
    /// A POST has begun and is not answered yet.
    var isPosting = false
    /// While a POST is being worked off, answers gather for one response.
    var isCorked = false

    /// The handshake request itself is answered with the open packet, which goes alone.
    package init(
        sid: SessionID, version: EngineVersion, transport: EngineTransport, base64Only: Bool = false,
        settings: EngineSettings, at now: Instant, into outbox: inout EngineOutbox
    ) {
        self.sid = sid
        self.version = version
        self.base64Only = base64Only
        self.settings = settings
        self.heartbeat = Heartbeat(version, settings, at: now)
        let opening = settings.opening(of: sid, on: transport).packet(for: version)
        switch transport {
        case .polling:
            self.state = .polling
            outbox.append(.answerPoll([opening]))
        case .webSocket:
            self.state = .webSocket
            outbox.append(.write(opening))
        }
    }

    /// Which transport would carry something sent now.
    package var transport: EngineTransport {
        if case .webSocket = self.state { .webSocket } else { .polling }
    }

    /// The moment to call `clockAdvanced(to:into:)` if nothing happens before.
    package var deadline: Instant? {
        switch self.state {
        case .polling, .webSocket: self.heartbeat.deadline
        case .probing(let upgrade): self.deadline(of: upgrade)
        case .closing(_, let until): min(until, self.heartbeat.deadline)
        case .ended: nil
        }
    }

    private func deadline(of upgrade: Upgrade) -> Instant {
        let deadline = min(upgrade.deadline, self.heartbeat.deadline)
        guard self.hasPoll, let nextNoop = upgrade.nextNoop else { return deadline }
        return min(deadline, nextNoop)
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout EngineOutbox) {
        if case .ended = self.state { return }
        if case .closing(let reason, let until) = self.state, now >= until { return self.end(reason, into: &outbox) }
        if case .probing(let upgrade) = self.state, now >= upgrade.deadline { self.dropProbe(into: &outbox) }
        switch self.heartbeat.clockAdvanced(self.settings, to: now) {
        case .silence: return self.end(.pingTimeout, into: &outbox)
        case .ping: self.ping(into: &outbox)
        case nil: break
        }
        self.releasePoll(at: now, into: &outbox)
    }

    private mutating func ping(into outbox: inout EngineOutbox) {
        outbox.append(.pinged)
        self.dispatch(.ping, into: &outbox)
    }
}
