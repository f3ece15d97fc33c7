internal import Bytes
internal import HTTPServer
internal import Journal
internal import Reactor
internal import Sessions
internal import SocketIO
internal import Vocabulary
internal import Web

/// One Engine.IO session with what carries it: feeds the machine and does what it wants done.
final class EngineLink {
    let sid: SessionID
    let version: EngineVersion
    let client: SocketClient
    private let sharedPolicy: Shared<LinkPolicy>
    private let sessions: SocketSessions
    private let layer: any EngineLayer
    private(set) var hasBegun = false
    private(set) var isOver = false
    private var session: EngineSession
    private var outbox = EngineOutbox()
    private var isPerforming = false
    private var webSocket: WebSocketConnection?
    private var waitingPoll: HTTPExchange?
    private var timer: (token: TimerToken, rings: Instant)?
    /// Its body is being gathered.
    private weak var posting: HTTPExchange?
    private let unreadBudget: HeldBytes.Budget?
    /// Its share of that, while more than a little waits for the client to read.
    private var unread: HeldBytes?
    /// What was there of an unfinished message when the timer rang last.
    private var lastPart = 0
    /// The client was let in.
    private(set) var isAdmitted = false

    init(
        _ sid: SessionID, version: EngineVersion, policy: Shared<LinkPolicy>, for request: EngineRequest,
        on exchange: HTTPExchange, sessions: SocketSessions
    ) {
        self.sid = sid
        self.version = version
        self.client = SocketClient(exchange, policy.value)
        self.sharedPolicy = policy
        self.sessions = sessions
        self.layer = sessions.makeLayer(version, policy.value)
        self.isAdmitted = self.layer.isOpenToAll
        self.unreadBudget = exchange.unreadBudget
        self.session = EngineSession(
            sid: sid, version: version, transport: request.transport, base64Only: request.base64Only,
            settings: policy.value.engine, at: sessions.now, into: &self.outbox)
    }

    var policy: LinkPolicy { self.sharedPolicy.value }
}

// MARK: - Transports

extension EngineLink {
    /// What one polling body or one WebSocket message may weigh.
    var queuedBytes: Int { self.webSocket?.queuedBytes ?? 0 }

    var maximumMessageBytes: Int {
        self.isAdmitted ? self.policy.engine.maxPayload : self.policy.maximumBytesBeforeConnect
    }

    /// The client was let in, and may send messages of full size.
    func admit() {
        guard !self.isAdmitted else { return }
        self.isAdmitted = true
        self.webSocket?.limitMessages(to: self.maximumMessageBytes)
        self.webSocket?.admit()
    }

    /// Whether a request says that it is of this session, beyond its id.
    func accepts(_ exchange: HTTPExchange) -> Bool {
        guard self.policy.credential != nil else { return true }
        return SocketClient(exchange, self.policy).credential == self.client.credential
    }

    func begin(answering exchange: HTTPExchange) {
        self.waitingPoll = exchange
        self.begin()
    }

    func begin(on webSocket: WebSocketConnection) -> any WebSocketHandler {
        self.webSocket = webSocket
        if self.policy.openingDelay > .zero {
            self.hasBegun = true
            self.sessions.clock.schedule(after: self.policy.openingDelay) { self.begin() }
        } else {
            self.begin()
        }
        return self
    }

    private func begin() {
        self.hasBegun = true
        self.perform()
        self.layer.opened(on: self)
    }

    func poll(_ exchange: HTTPExchange) throws(EngineRefusal) {
        let mayWait = self.waitingPoll == nil
        if mayWait { self.hold(exchange) }
        defer { self.perform() }
        do throws(EngineRefusal) {
            try self.session.pollArrived(at: self.sessions.now, into: &self.outbox)
        } catch {
            if mayWait { self.waitingPoll = nil }
            throw error
        }
    }

    private func hold(_ exchange: HTTPExchange) {
        self.waitingPoll = exchange
        exchange.onAbandoned = { [weak self, weak exchange] in
            guard let self, let exchange, self.waitingPoll === exchange else { return }
            self.waitingPoll = nil
            self.session.pollAborted(into: &self.outbox)
            self.perform()
        }
    }

    func post(_ exchange: HTTPExchange) throws(EngineRefusal) {
        do throws(EngineRefusal) {
            try self.session.postArrived(into: &self.outbox)
        } catch {
            self.perform()
            throw error
        }
        exchange.onAbandoned = { [weak self] in
            guard let self else { return }
            self.session.postAborted(into: &self.outbox)
            self.perform()
        }
        self.posting = exchange
        let isBinary = exchange.request.fields[.contentType] == "application/octet-stream"
        exchange.collectBody(limit: self.maximumMessageBytes) { self.posted($0, isBinary: isBinary, on: exchange) }
    }

    private func posted(_ body: [UInt8], isBinary: Bool, on exchange: HTTPExchange) {
        exchange.onAbandoned = nil
        self.posting = nil
        var body = body
        do throws(ByteError) {
            let packets = try EnginePayloadDecoder(version: self.version).decode(&body, isBinary: isBinary)
            for packet in packets { self.take(packet, body.span, by: .polling) }
        } catch {
            self.session.receivedGarbage(by: .polling, into: &self.outbox)
        }
        let answer = self.session.postFinished(into: &self.outbox)
        self.perform()
        if body.count >= Self.noticedPart { self.noticeEnd() }
        switch answer {
        case .ok: exchange.respondOnce(.posted)
        case .badRequest: exchange.refuse(.badRequest)
        }
    }

    func upgrade(_ exchange: HTTPExchange) throws(EngineRefusal) {
        do throws(EngineRefusal) {
            try self.session.webSocketArrived(at: self.sessions.now)
        } catch .badRequest {
            // A session has one WebSocket. Another is let in and closed, as clients expect it.
            return exchange.upgradeToWebSocket { webSocket in
                self.sessions.clock.schedule(after: .zero) { webSocket.close(.normal) }
                return UnwantedChannel()
            }
        }
        exchange.upgradeToWebSocket(maximumMessageBytes: self.maximumMessageBytes) { webSocket in
            self.webSocket = webSocket
            return self
        }
        self.perform()
    }
}

// MARK: - The WebSocket

extension EngineLink: WebSocketHandler {
    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {
        do throws(ByteError) {
            switch kind {
            case .text: self.take(try EnginePacket(textFrame: payload, version: self.version), payload, by: .webSocket)
            case .binary:
                self.take(try EnginePacket(binaryFrame: payload, version: self.version), payload, by: .webSocket)
            }
        } catch {
            self.session.receivedGarbage(by: .webSocket, into: &self.outbox)
        }
        self.perform()
    }

    func drained(_ webSocket: WebSocketConnection) { self.unread = nil }

    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {
        guard self.webSocket === webSocket else { return }
        self.webSocket = nil
        self.session.webSocketClosed(into: &self.outbox)
        self.perform()
    }
}

// MARK: - Packets

extension EngineLink {
    private func take(_ packet: EnginePacket, _ bytes: Span<UInt8>, by channel: EngineSession.Channel) {
        let reception = self.session.received(packet, by: channel, at: self.sessions.now, into: &self.outbox)
        guard reception == .deliver else { return }
        guard packet.form != .base64 else { return self.takeBase64(packet, bytes, by: channel) }
        self.deliver(bytes.extracting(packet.body), isText: packet.form == .text, by: channel)
    }

    /// Some clients send attachments that were queued for polling as WebSocket text.
    private func takeBase64(_ packet: EnginePacket, _ bytes: Span<UInt8>, by channel: EngineSession.Channel) {
        var copy = [UInt8](copying: bytes)
        do throws(ByteError) {
            let decoded = try packet.withoutBase64(in: &copy)
            self.deliver(copy.span.extracting(decoded.body), isText: false, by: channel)
        } catch {
            self.session.receivedGarbage(by: channel, into: &self.outbox)
        }
    }

    private func deliver(_ body: Span<UInt8>, isText: Bool, by channel: EngineSession.Channel) {
        let isSmall = !isText || body.count <= self.policy.maximumTextBytes ?? .max
        guard !isSmall || !self.layer.received(body, isText: isText, on: self) else { return }
        self.session.receivedGarbage(by: channel, into: &self.outbox)
    }

    /// From now on what is sent waits, within the bounds of what waits for a poll.
    func cork() { self.session.cork() }

    func uncork() {
        self.session.uncork(into: &self.outbox)
        self.perform()
    }

    func send(_ packets: [EncodedPacket]) {
        if let webSocket = self.openWebSocket {
            for packet in packets { self.write(packet, to: webSocket) }
            return self.watchBacklog()
        }
        self.session.send(packets, into: &self.outbox)
        self.perform()
        self.holdUnread(self.session.queuedBytes)
    }

    /// The same packets go to many; a WebSocket gets the frames that were made for all of them.
    func send(_ broadcast: [Broadcast]) {
        guard let webSocket = self.openWebSocket else { return self.send(broadcast.map(\.packet)) }
        for part in broadcast { webSocket.send(part.message(for: self.version)) }
        self.watchBacklog()
    }

    /// Where the machine would write at once anyway, nothing goes through its outbox.
    private var openWebSocket: WebSocketConnection? {
        guard !self.isPerforming, self.outbox.isEmpty, self.session.writesAtOnce else { return nil }
        return self.webSocket
    }

    private func write(_ packet: EncodedPacket, to webSocket: WebSocketConnection) {
        webSocket.send(packet.isBinary ? .binary : .text, packet.frame(for: self.version).span)
    }

    func close(_ reason: EngineEnd) {
        self.session.close(reason, at: self.sessions.now, into: &self.outbox)
        self.perform()
    }
}

// MARK: - What the machine wants

extension EngineLink {
    /// Carries out everything in the outbox, in order, also what comes to it on the way.
    private func perform() {
        guard !self.isPerforming else { return }
        self.isPerforming = true
        while !self.outbox.isEmpty {
            for action in self.outbox.takeAll() { self.perform(action) }
        }
        self.isPerforming = false
        self.watchBacklog()
        self.armTimer()
    }

    private func perform(_ action: EngineOutbox.Action) {
        switch action {
        case .answerPoll(let packets): self.answerPoll(packets)
        case .write(let packet): if let webSocket = self.webSocket { self.write(packet, to: webSocket) }
        case .closeSocket(let code):
            if let webSocket = self.webSocket.take() { webSocket.close(WebSocketCloseCode(code) ?? .normal) }
        case .upgraded: break
        case .pinged: self.layer.pinged()
        case .ponged: self.layer.ponged()
        case .ended(let reason): self.ended(reason)
        }
    }

    private func answerPoll(_ packets: [EncodedPacket]) {
        guard let exchange = self.waitingPoll.take() else { return }
        exchange.onAbandoned = nil
        self.holdUnread(self.session.queuedBytes)
        let payload = EnginePayload(packets, version: self.version, base64Only: self.session.base64Only)
        let type = payload.isBinary ? "application/octet-stream" : "text/plain; charset=UTF-8"
        exchange.respondOnce(HTTPResponse(.ok, fields: [.contentType: type], body: .bytes(payload.bytes)))
    }

    private func ended(_ reason: EngineEnd) {
        self.isOver = true
        self.sessions.forget(self)
        if let timer = self.timer.take() { self.sessions.clock.cancel(timer.token) }
        self.layer.ended(reason)
        // What it sends now is for nobody.
        self.posting?.fail()
        self.unread = nil
    }

    private func watchBacklog() {
        guard let webSocket = self.webSocket, webSocket.queuedBytes > Self.freelyUnread else { return }
        self.session.backlogChanged(to: webSocket.queuedBytes, into: &self.outbox)
        if !self.outbox.isEmpty { self.perform() }
        self.holdUnread(webSocket.queuedBytes)
    }

    private static let freelyUnread = 65_536

    /// What waits for clients that do not read has to fit into what all of them may have.
    private func holdUnread(_ count: Int) {
        guard count > Self.freelyUnread, !self.isOver, let budget = self.unreadBudget else { return self.unread = nil }
        let held = self.unread ?? HeldBytes(budget, for: self.client.address)
        self.unread = held
        guard !held.hold(count) else { return }
        self.session.end(.slowReader, into: &self.outbox)
        self.perform()
    }

    /// Leaves the timer where it is unless it would ring too late: most deadlines move on before they pass.
    private func armTimer() {
        guard let deadline = self.session.deadline else { return }
        if let timer = self.timer {
            guard deadline < timer.rings else { return }
            self.sessions.clock.cancel(timer.token)
        }
        let delay = max(.zero, self.sessions.now.duration(to: deadline))
        let token = self.sessions.clock.schedule(after: delay) { self.timerRang() }
        self.timer = (token, deadline)
    }

    /// So much has to have come since the timer rang last: what dribbles in keeps nothing alive.
    private static let noticedPart = 32_768

    private func noticePart() {
        let count = (self.webSocket?.unfinishedBytes ?? 0) + (self.posting?.gatheredBytes ?? 0)
        if count >= self.lastPart + Self.noticedPart { self.session.heardPart(at: self.sessions.now) }
        self.lastPart = count
    }

    /// While something large was taken in, its client waited for the answer and could send no ping. How long that took, the
    /// clock of this turn does not know.
    private func noticeEnd() {
        self.sessions.clock.schedule(after: .zero) { [weak self] in
            guard let self else { return }
            self.session.heardPart(at: self.sessions.now)
        }
    }

    private func timerRang() {
        self.timer = nil
        self.noticePart()
        self.session.clockAdvanced(to: self.sessions.now, into: &self.outbox)
        self.perform()
    }
}

private final class UnwantedChannel: WebSocketHandler {
    func received(_ kind: WebSocketMessageKind, _ payload: Span<UInt8>, on webSocket: WebSocketConnection) {}
    func closed(_ webSocket: WebSocketConnection, _ code: WebSocketCloseCode?, reason: String) {}
}

extension HTTPResponse {
    /// What clients of every version wait for after a POST.
    fileprivate static let posted = HTTPResponse(
        .ok, fields: [.contentType: "text/html"], body: .bytes(Array("ok".utf8)))
}
