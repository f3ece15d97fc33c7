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
        /// It is a message for the owner of the session.
        case deliver
        /// The session has seen to it.
        case handled
    }

    /// How a POST is answered: 200 and `ok`, or 400.
    package enum PostAnswer: Hashable, Sendable { case ok, badRequest }

    private enum State: Sendable {
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

    private struct Upgrade: Sendable {
        let deadline: Instant
        /// When a waiting poll may be let go; nil until the client has asked with its probe.
        var nextNoop: Instant?
    }

    package let sid: SessionID
    package let version: EngineVersion
    /// How polling answers must be put: see `EnginePayload`.
    package let base64Only: Bool
    private let settings: EngineSettings
    private var state: State
    private var heartbeat: EngineHeartbeat
    private var queue = SendQueue()
    /// A GET is waiting for something to tell.
    private var hasPoll = false
    /// A POST has begun and is not answered yet.
    private var isPosting = false
    /// While a POST is being worked off, answers gather for one response.
    private var isGathering = false
    /// What is sent waits until `uncork`.
    private var isCorked = false

    /// The handshake request itself is answered with the open packet, which goes alone.
    package init(
        sid: SessionID, version: EngineVersion, transport: EngineTransport, base64Only: Bool = false,
        settings: EngineSettings, at now: Instant, into outbox: inout EngineOutbox
    ) {
        self.sid = sid
        self.version = version
        self.base64Only = base64Only
        self.settings = settings
        self.heartbeat = EngineHeartbeat(version, settings, at: now)
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

    /// Whether what is sent is written at once, and nothing waits in front of it.
    package var writesAtOnce: Bool { self.transport == .webSocket && !self.isCorked }

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

    /// A part of something large came: a client that is in the midst of it can send no ping.
    package mutating func heardPart(at now: Instant) { self.heartbeat.heard(self.settings, at: now) }

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

// MARK: - Packets from the client

extension EngineSession {
    /// A packet came. The shell delivers its content when, and as soon as, this says so.
    package mutating func received(
        _ packet: EnginePacket, by channel: Channel, at now: Instant, into outbox: inout EngineOutbox
    ) -> Reception {
        switch self.state {
        case .closing, .ended:
            return .handled
        case .polling where channel == .webSocket:
            // Its WebSocket was refused or dropped; what still comes from there is late.
            return .handled
        case .probing where channel == .webSocket:
            self.heartbeat.heard(self.settings, at: now)
            self.probed(packet, at: now, into: &outbox)
            return .handled
        case .polling, .probing, .webSocket:
            self.isGathering = self.isGathering || channel == .polling && self.isPosting
            self.heartbeat.heard(self.settings, at: now)
            return self.accept(packet, at: now, into: &outbox)
        }
    }

    private mutating func accept(
        _ packet: EnginePacket, at now: Instant, into outbox: inout EngineOutbox
    ) -> Reception {
        switch (packet.kind, self.version) {
        case (.message, _):
            return .deliver
        case (.ping, .v3):
            self.dispatch(.pong, into: &outbox)
        case (.pong, .v4):
            if self.heartbeat.ponged(self.settings, at: now) { outbox.append(.ponged) }
        case (.ping, .v4), (.pong, .v3):
            self.end(.transportError, into: &outbox)
        case (.close, _):
            self.end(.transportClose, into: &outbox)
        case (.upgrade, _), (.noop, _):
            // Old clients send their noop as a frame after the upgrade.
            break
        case (.open, _):
            self.end(.parseError, into: &outbox)
        }
        return .handled
    }

    /// What came is no packet.
    package mutating func receivedGarbage(by channel: Channel, into outbox: inout EngineOutbox) {
        switch self.state {
        case .probing where channel == .webSocket: self.dropProbe(into: &outbox)
        case .polling where channel == .webSocket: break
        case .polling, .probing, .webSocket: self.end(.parseError, into: &outbox)
        case .closing, .ended: break
        }
    }
}

// MARK: - Polling

extension EngineSession {
    /// A GET came. Unless it is refused the shell holds it until the outbox answers it, which may be at once.
    package mutating func pollArrived(at now: Instant, into outbox: inout EngineOutbox) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .webSocket: throw .badRequest
        case .polling, .probing, .closing: break
        }
        guard !self.hasPoll else {
            self.end(.transportError, into: &outbox)
            throw .badRequest
        }
        self.hasPoll = true
        self.answerPoll(into: &outbox)
        self.releasePoll(at: now, into: &outbox)
    }

    /// The waiting GET was torn off. Whatever it would have brought could be lost, so the session is over.
    package mutating func pollAborted(into outbox: inout EngineOutbox) {
        guard self.hasPoll else { return }
        self.hasPoll = false
        self.end(.transportError, into: &outbox)
    }

    /// A POST began.
    package mutating func postArrived(into outbox: inout EngineOutbox) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .webSocket, .closing: throw .badRequest
        case .polling, .probing: break
        }
        guard !self.isPosting else {
            self.end(.transportError, into: &outbox)
            throw .badRequest
        }
        self.isPosting = true
    }

    /// All packets of the POST's body were received; tells how to answer it.
    package mutating func postFinished(into outbox: inout EngineOutbox) -> PostAnswer {
        self.isPosting = false
        self.isGathering = false
        self.answerPoll(into: &outbox)
        switch self.state {
        case .ended(.transportError), .ended(.parseError): return .badRequest
        case .polling, .probing, .webSocket, .closing, .ended: return .ok
        }
    }

    /// The POST was torn off before its body was whole.
    package mutating func postAborted(into outbox: inout EngineOutbox) {
        guard self.isPosting else { return }
        self.isPosting = false
        switch self.state {
        case .polling, .probing, .closing: self.end(.transportError, into: &outbox)
        case .webSocket, .ended: break
        }
    }

    /// Lets the waiting poll take what there is to take.
    private mutating func answerPoll(into outbox: inout EngineOutbox) {
        guard self.hasPoll, !self.isGathering, !self.isCorked else { return }
        switch self.state {
        case .polling, .probing:
            guard !self.queue.isEmpty else { return }
            self.hasPoll = false
            outbox.append(.answerPoll(self.queue.next(within: self.settings.maxPayload)))
        case .closing(let reason, _):
            self.hasPoll = false
            let last = self.queue.isEmpty ? [] : self.queue.next(within: self.settings.maxPayload)
            guard self.queue.isEmpty else { return outbox.append(.answerPoll(last)) }
            outbox.append(.answerPoll(last + [.close]))
            self.end(reason, into: &outbox)
        case .webSocket, .ended:
            break
        }
    }
}

// MARK: - Upgrading

extension EngineSession {
    /// A WebSocket came for this session. Unless it is refused it belongs to the session from now on.
    ///
    /// To refuse is to accept the WebSocket and close it: clients take an HTTP error there for one of the session.
    package mutating func webSocketArrived(at now: Instant) throws(EngineRefusal) {
        switch self.state {
        case .ended: throw .unknownSession
        case .probing, .webSocket, .closing: throw .badRequest
        case .polling:
            guard self.settings.allowsUpgrade else { throw .badRequest }
            self.state = .probing(Upgrade(deadline: now + self.settings.upgradeTimeout))
        }
    }

    /// The session's WebSocket is gone.
    package mutating func webSocketClosed(into outbox: inout EngineOutbox) {
        switch self.state {
        case .probing:
            self.state = .polling
        case .webSocket:
            // There is no socket left to close.
            self.state = .polling
            self.end(.transportClose, into: &outbox)
        case .polling, .closing, .ended:
            break
        }
    }

    /// What waits for the next poll, or until it is uncorked.
    package var queuedBytes: Int { self.queue.bytes }

    /// How much the session's WebSocket has not been able to write yet.
    package mutating func backlogChanged(to bytes: Int, into outbox: inout EngineOutbox) {
        guard case .webSocket = self.state, bytes > self.settings.maximumQueuedBytes else { return }
        self.end(.slowReader, into: &outbox)
    }

    /// A packet from the WebSocket that wants to take over.
    private mutating func probed(_ packet: EnginePacket, at now: Instant, into outbox: inout EngineOutbox) {
        switch packet.kind {
        case .ping where packet.isProbe:
            guard case .probing(var upgrade) = self.state else { return }
            upgrade.nextNoop = now
            self.state = .probing(upgrade)
            outbox.append(.write(.probeAnswer))
            self.releasePoll(at: now, into: &outbox)
        case .upgrade:
            self.upgrade(into: &outbox)
        case .open, .close, .ping, .pong, .message, .noop:
            self.dropProbe(into: &outbox)
        }
    }

    /// Polling is over; what was waiting for it goes out on the WebSocket, in order.
    private mutating func upgrade(into outbox: inout EngineOutbox) {
        self.state = .webSocket
        if self.hasPoll {
            self.hasPoll = false
            outbox.append(.answerPoll([.noop]))
        }
        outbox.append(.upgraded)
        if !self.isCorked { self.writeQueue(into: &outbox) }
    }

    private mutating func writeQueue(into outbox: inout EngineOutbox) {
        for packet in self.queue.removeAll() { outbox.append(.write(packet)) }
    }

    /// The WebSocket did not do; polling goes on as if it had never come.
    private mutating func dropProbe(into outbox: inout EngineOutbox) {
        guard case .probing = self.state else { return }
        self.state = .polling
        outbox.append(.closeSocket(code: EngineEnd.transportError.closeCode))
    }

    /// A client that wants to change over waits until no poll of its own is open, so a waiting poll is let go with
    /// nothing in it. A client that keeps polling all the same must not spin, hence the pace.
    private mutating func releasePoll(at now: Instant, into outbox: inout EngineOutbox) {
        guard self.hasPoll, case .probing(var upgrade) = self.state, let nextNoop = upgrade.nextNoop,
            now >= nextNoop
        else { return }
        upgrade.nextNoop = now + self.settings.noopPace
        self.state = .probing(upgrade)
        self.hasPoll = false
        outbox.append(.answerPoll([.noop]))
    }
}

// MARK: - Sending and closing

extension EngineSession {
    /// Sends packets that belong together, like a message and its attachments. False when the session is past that.
    @discardableResult
    package mutating func send(_ packets: [EncodedPacket], into outbox: inout EngineOutbox) -> Bool {
        switch self.state {
        case .webSocket where !self.isCorked:
            for packet in packets { outbox.append(.write(packet)) }
            return true
        case .webSocket, .polling, .probing:
            return self.enqueue(packets, into: &outbox)
        case .closing, .ended:
            return false
        }
    }

    /// From now on packets wait, pings among them, so that none overtakes another.
    package mutating func cork() { self.isCorked = true }

    /// What has waited goes out in its order.
    package mutating func uncork(into outbox: inout EngineOutbox) {
        guard self.isCorked else { return }
        self.isCorked = false
        if self.writesAtOnce { self.writeQueue(into: &outbox) } else { self.answerPoll(into: &outbox) }
    }

    /// One packet of the session itself.
    private mutating func dispatch(_ packet: EncodedPacket, into outbox: inout EngineOutbox) {
        self.send([packet], into: &outbox)
    }

    private mutating func enqueue(_ packets: [EncodedPacket], into outbox: inout EngineOutbox) -> Bool {
        let isFirst = self.queue.isEmpty
        for packet in packets { self.queue.append(packet) }
        // What is sent alone may be as large as it is: the limit is for what piles up.
        guard isFirst || self.queue.bytes <= self.settings.maximumQueuedBytes else {
            self.end(.slowReader, into: &outbox)
            return false
        }
        self.answerPoll(into: &outbox)
        return true
    }

    /// Says goodbye in good order: what was sent before still goes out.
    package mutating func close(_ reason: EngineEnd = .forcedClose, at now: Instant, into outbox: inout EngineOutbox) {
        self.uncork(into: &outbox)
        switch self.state {
        case .webSocket:
            self.end(reason, into: &outbox)
        case .polling, .probing:
            self.dropProbe(into: &outbox)
            self.isGathering = false
            self.state = .closing(reason, until: now + self.settings.closeTimeout)
            self.answerPoll(into: &outbox)
        case .closing, .ended:
            break
        }
    }

    /// Is over at once, whatever was waiting. No request and no socket is left without an answer.
    package mutating func end(_ reason: EngineEnd, into outbox: inout EngineOutbox) {
        switch self.state {
        case .ended: return
        case .probing, .webSocket: outbox.append(.closeSocket(code: reason.closeCode))
        case .polling, .closing: break
        }
        self.state = .ended(reason)
        if self.hasPoll {
            self.hasPoll = false
            // To a client that has hung up there is nothing to say; any other one learns that it is over.
            outbox.append(.answerPoll([reason == .transportClose ? .noop : .close]))
        }
        _ = self.queue.removeAll()
        outbox.append(.ended(reason))
    }
}
