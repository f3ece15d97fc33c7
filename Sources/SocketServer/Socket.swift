package import JSON
internal import Reactor
internal import Sessions
package import SocketIO
package import Vocabulary

/// One client's place in one namespace. It outlives its link when it may be taken up again.
///
///     connected ──link lost──▶ away ──resumed──▶ connected …
///         │                     └──too late──▶ gone
///         └──disconnected, or not resumable────▲
package final class Socket {
    package let id: SessionID
    package let namespace: Namespace
    package let client: SocketClient
    package let version: EngineVersion
    /// What the application keeps for this socket.
    package var context: AnyObject?

    private let sessions: SocketSessions
    private var link: EngineLink?
    private var layer: SocketLayer?
    private var recovery: ConnectionRecovery?
    /// Whether it has a recovery. A constant, for each look at a variable is checked, and every event asks.
    private let isResumable: Bool
    private var window: TimerToken?
    private var pendingAcks: [Int: (SocketAnswer?) -> Void] = [:]
    /// No client will come back to it.
    package private(set) var isGone = false

    init(
        _ id: SessionID, _ namespace: Namespace, on link: EngineLink, layer: SocketLayer, sessions: SocketSessions,
        mayReturn: Bool
    ) {
        self.id = id
        self.namespace = namespace
        self.client = link.client
        self.version = link.version
        self.sessions = sessions
        self.link = link
        self.layer = layer
        let mayResume = mayReturn && link.version == .v4 && namespace.isMain
        guard mayResume, let window = sessions.settings.recoveryWindow else {
            self.recovery = nil
            self.isResumable = false
            return
        }
        self.isResumable = true
        self.recovery = ConnectionRecovery(key: sessions.newResumeKey(of: id), window: window)
        self.sessions.keepPlace(of: self)
    }

    /// Another node has handed it over. Its client is on its way here.
    init(_ place: HandedPlace, for arrival: SocketArrival, sessions: SocketSessions, window: Duration) {
        self.id = place.id
        self.namespace = arrival.namespace
        self.client = arrival.client
        self.version = arrival.version
        self.sessions = sessions
        self.isResumable = true
        self.recovery = ConnectionRecovery(
            key: place.key, window: window, takingOver: place.log, at: sessions.now)
        self.sessions.keepPlace(of: self)
        self.window = sessions.clock.schedule(after: window) { [weak self] in self?.leave(.lineLost) }
    }

    /// By which its client shows that the place is its own; nil where none is kept.
    private var key: ResumeKey? { self.recovery?.key }

    /// What waits until the client reads it.
    package var queuedBytes: Int { self.link?.queuedBytes ?? 0 }

    /// Whether there is a link to write to now.
    package var isConnected: Bool { self.link != nil }

    var welcome: EncodedPacket {
        SocketPacketWriter.connect(self.version, to: self.namespace, sid: self.id.text, key: self.key)
    }
}

/// What a client answered to an event. The ranges of `arguments` are those of `bytes`.
package struct SocketAnswer {
    package let bytes: [UInt8]
    package let arguments: Range<Int>
    package let attachments: [[UInt8]]
}

// MARK: - Sending

extension Socket {
    /// Sends an event. While the client is away it is kept, unless it is not worth a second time (`isVolatile`).
    package func emit(
        _ name: String, isVolatile: Bool = false, attachments: [[UInt8]] = [], _ arguments: (inout JSONWriter) -> Void
    ) {
        var writer = SocketPacketWriter(event: name, in: self.namespace, attachments: attachments.count)
        arguments(&writer.arguments)
        guard self.isResumable else {
            self.link?.send(writer.finish(with: attachments))
            return
        }
        let offset = self.sessions.nextOffset()
        writer.append(offset)
        let packets = writer.finish(with: attachments)
        if self.recovery?.record(isVolatile ? [] : packets, as: offset) == true { self.link?.send(packets) }
    }

    /// Sends an event and waits for the client's answer; nil when its link is lost before that. Such an event is not
    /// sent a second time: its answer, or the lack of one, tells.
    package func emit(
        _ name: String, attachments: [[UInt8]] = [], _ arguments: (inout JSONWriter) -> Void,
        answer: @escaping (SocketAnswer?) -> Void
    ) {
        guard let link = self.link, self.pendingAcks.count < self.sessions.settings.maximumPendingAcks else {
            return answer(nil)
        }
        let ackID = self.sessions.nextAckID(in: self.namespace)
        var writer = SocketPacketWriter(
            event: name, in: self.namespace, ackID: ackID, attachments: attachments.count)
        arguments(&writer.arguments)
        self.pendingAcks[ackID] = answer
        link.send(writer.finish(with: attachments))
    }

    /// Answers an event that waits for it.
    package func answer(
        _ ackID: Int, attachments: [[UInt8]] = [], _ arguments: (inout JSONWriter) -> Void
    ) {
        var writer = SocketPacketWriter(ack: ackID, in: self.namespace, attachments: attachments.count)
        arguments(&writer.arguments)
        self.link?.send(writer.finish(with: attachments))
    }

    /// What has waited since the client was let in goes out.
    package func uncork() { self.link?.uncork() }

    /// Sends what was encoded for many.
    func send(_ broadcast: SocketBroadcast) {
        guard self.isResumable else {
            self.link?.send(broadcast.plain(in: self.namespace))
            return
        }
        let form = broadcast.counted(in: self.namespace, self.sessions)
        let isHere = self.recovery?.record(form.kept, as: form.offset)
        if isHere == true { self.link?.send(form.sent) }
    }
}

extension SocketPacketWriter {
    /// The packet, and its attachments behind it.
    fileprivate consuming func finish(with attachments: [[UInt8]]) -> [EncodedPacket] {
        let packet = self.finish()
        return attachments.isEmpty ? [packet] : [packet] + attachments.map { EncodedPacket(binary: $0) }
    }
}

// MARK: - The link comes and goes

extension Socket {
    func pingSent() { self.recovery?.pingSent() }
    func pongReceived() { self.recovery?.pongReceived() }

    func received(answer: SocketAnswer, to ackID: Int) {
        self.pendingAcks.removeValue(forKey: ackID)?(answer)
    }

    func linkEnded(_ end: EngineEnd) {
        self.link = nil
        self.layer = nil
        self.dropAcks()
        guard !self.isGone else { return }
        guard self.recovery != nil, let window = self.sessions.settings.recoveryWindow else {
            return self.leave(.lineLost)
        }
        self.recovery?.linkLost(at: self.sessions.now)
        self.window = self.sessions.clock.schedule(after: window) { [weak self] in self?.leave(.lineLost) }
        self.sessions.application.lost(self, fellSilent: end == .pingTimeout)
    }

    /// A new link takes the place of the lost one, if everything it missed is still known.
    func resume(on link: EngineLink, _ layer: SocketLayer, from position: RecoveryRequest.Position) -> Bool {
        let missed = self.takeUp(position)
        // The old line may look alive until its end is noticed.
        let old = self.link
        self.detach()
        old?.close(.transportClose)
        guard let missed else {
            self.leave(.lineLost)
            return false
        }
        if let window = self.window.take() { self.sessions.clock.cancel(window) }
        self.link = link
        self.layer = layer
        layer.add(self, on: link)
        link.send([self.welcome])
        for packets in missed { link.send(packets) }
        self.sessions.application.returned(self)
        return true
    }

    private func takeUp(_ position: RecoveryRequest.Position) -> [[EncodedPacket]]? {
        do throws(ConnectionRecovery.Refusal) {
            return try self.recovery?.resumed(from: position, at: self.sessions.now)
        } catch {
            return nil
        }
    }

    private func dropAcks() {
        let acks = self.pendingAcks
        self.pendingAcks = [:]
        for answer in acks.values { answer(nil) }
    }
}

// MARK: - To another node

extension Socket {
    /// Whether a client that shows this key may have the place.
    package func isKept(for key: ResumeKey) -> Bool { self.key == key && !self.isGone }

    /// From now on another node speaks for it. Nil where no place is kept.
    package func handOver(context: [UInt8]) -> HandedPlace? {
        guard let key = self.key, let log = self.recovery?.handedOver() else { return nil }
        let old = self.link
        self.detach()
        old?.close(.transportClose)
        self.end()
        return HandedPlace(self.id, key, log, context: context)
    }
}

// MARK: - The end

extension Socket {
    /// Its client has to come back; here or elsewhere.
    package func breakLink() { self.link?.close(.serverShutdown) }

    /// Sends the client away from the namespace, for good.
    package func disconnect(closingLink: Bool = false) {
        guard let link = self.link else { return self.leave(.sentAway) }
        link.send([SocketPacketWriter.disconnect(from: self.namespace)])
        self.detach()
        if closingLink { link.close(.forcedClose) }
        self.leave(.sentAway)
    }

    /// The client said goodbye.
    func disconnected() {
        self.detach()
        self.leave(.saidGoodbye)
    }

    private func detach() {
        self.layer.take()?.remove(self)
        self.link = nil
    }

    private func leave(_ end: SocketEnd) {
        guard !self.isGone else { return }
        self.recovery?.left()
        self.end()
        self.sessions.application.left(self, end)
        self.context = nil
    }

    private func end() {
        self.isGone = true
        if let window = self.window.take() { self.sessions.clock.cancel(window) }
        if self.isResumable { self.sessions.giveUpPlace(of: self) }
        self.dropAcks()
    }
}
