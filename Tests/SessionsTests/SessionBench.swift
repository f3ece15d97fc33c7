import Sessions
import SocketIO
import TestSupport
import Testing
import Vocabulary

/// A shell without a world: it carries out what a session wants, keeps what its client would see, and holds the
/// session to its promises.
final class SessionBench {
    private(set) var session: EngineSession
    private(set) var now: Instant
    let version: EngineVersion
    /// Send every message back, as the official suites ask of a server.
    var echoes = false

    /// A GET is held, a POST is open, a WebSocket is there.
    private(set) var isPolling: Bool
    private(set) var isPosting = false
    private(set) var hasSocket: Bool

    /// What the client got, oldest first.
    private(set) var pollAnswers: [String] = []
    private(set) var frames: [String] = []
    /// The same as packets, whichever way they came.
    private(set) var packets: [EncodedPacket] = []
    private(set) var closeCodes: [UInt16] = []
    private(set) var delivered: [String] = []
    private(set) var end: EngineEnd?
    private(set) var upgrades = 0
    private(set) var pings = 0
    private(set) var pongs = 0

    private var outbox = EngineOutbox()

    init(
        _ version: EngineVersion = .v4, on transport: EngineTransport = .polling, base64Only: Bool = true,
        settings: EngineSettings = SessionBench.settings
    ) {
        var random = SeededRandom(seed: 1)
        let now = Instant(milliseconds: 1_000_000)
        self.now = now
        self.version = version
        self.isPolling = transport == .polling
        self.hasSocket = transport == .webSocket
        self.session = EngineSession(
            sid: SessionID(using: &random), version: version, transport: transport, base64Only: base64Only,
            settings: settings, at: now, into: &self.outbox)
        self.carryOut()
    }

    /// The times of the official suites.
    static let settings = EngineSettings(pingInterval: .milliseconds(300), pingTimeout: .milliseconds(200))

    // MARK: What a client does

    /// A GET. What it brought, if it was answered at once.
    @discardableResult
    func poll() throws -> String? {
        let before = self.pollAnswers.count
        let wasPolling = self.isPolling
        self.isPolling = true
        do {
            try self.session.pollArrived(at: self.now, into: &self.outbox)
        } catch {
            // The new GET is answered with the refusal; what becomes of the old one is in the outbox.
            self.isPolling = wasPolling
            self.carryOut()
            throw error
        }
        self.carryOut()
        return self.pollAnswers.count > before ? self.pollAnswers[before] : nil
    }

    func abortPoll() {
        self.isPolling = false
        self.session.pollAborted(into: &self.outbox)
        self.carryOut()
    }

    func beginPost() throws {
        do {
            try self.session.postArrived(into: &self.outbox)
            self.isPosting = true
            self.carryOut()
        } catch {
            self.carryOut()
            throw error
        }
    }

    /// The body of a POST that has begun, and its answer.
    func finishPost(_ text: String) -> EngineSession.PostAnswer {
        self.isPosting = false
        var body = Array(text.utf8)
        do {
            for packet in try EnginePayloadDecoder(version: self.version).decode(&body, isBinary: false) {
                self.receive(packet, in: body, by: .polling)
            }
        } catch {
            self.session.receivedGarbage(by: .polling, into: &self.outbox)
            self.carryOut()
        }
        let answer = self.session.postFinished(into: &self.outbox)
        self.carryOut()
        return answer
    }

    @discardableResult
    func post(_ text: String) throws -> EngineSession.PostAnswer {
        try self.beginPost()
        return self.finishPost(text)
    }

    func abortPost() {
        self.isPosting = false
        self.session.postAborted(into: &self.outbox)
        self.carryOut()
    }

    func openSocket() throws {
        try self.session.webSocketArrived(at: self.now)
        self.hasSocket = true
    }

    func frame(_ text: String) {
        guard self.hasSocket else { return }
        let bytes = Array(text.utf8)
        if let packet = try? EnginePacket(textFrame: bytes.span, version: self.version) {
            self.receive(packet, in: bytes, by: .webSocket)
        } else {
            self.session.receivedGarbage(by: .webSocket, into: &self.outbox)
            self.carryOut()
        }
    }

    func closeSocket() {
        guard self.hasSocket else { return }
        self.hasSocket = false
        self.session.webSocketClosed(into: &self.outbox)
        self.carryOut()
    }

    // MARK: What the server does

    @discardableResult
    func send(_ text: String, attachments: [[UInt8]] = []) -> Bool {
        let message = EncodedPacket(messageWithDigit: Array("4\(text)".utf8))
        let packets = [message] + attachments.map { EncodedPacket(binary: $0) }
        let isSent = self.session.send(packets, into: &self.outbox)
        self.carryOut()
        return isSent
    }

    func close(_ reason: EngineEnd = .forcedClose) {
        self.session.close(reason, at: self.now, into: &self.outbox)
        self.carryOut()
    }

    func cork() { self.session.cork() }

    func uncork() {
        self.session.uncork(into: &self.outbox)
        self.carryOut()
    }

    func kill(_ reason: EngineEnd) {
        self.session.end(reason, into: &self.outbox)
        self.carryOut()
    }

    func reportBacklog(_ bytes: Int) {
        self.session.backlogChanged(to: bytes, into: &self.outbox)
        self.carryOut()
    }

    /// Lets time pass, stopping at every deadline on the way.
    func advance(_ milliseconds: Int64) {
        let target = self.now + .milliseconds(milliseconds)
        while let deadline = self.session.deadline, deadline <= target {
            self.now = max(self.now, deadline)
            self.session.clockAdvanced(to: self.now, into: &self.outbox)
            self.carryOut()
            guard self.session.deadline.map({ $0 > self.now }) ?? true else {
                Issue.record("a deadline stays after its time has come")
                return
            }
        }
        self.now = target
    }

    // MARK: The promises

    private func receive(_ packet: EnginePacket, in bytes: [UInt8], by channel: EngineSession.Channel) {
        let reception = self.session.received(packet, by: channel, at: self.now, into: &self.outbox)
        self.carryOut()
        guard reception == .deliver else { return }
        let text = String(decoding: bytes[packet.body], as: UTF8.self)
        self.delivered.append(text)
        if self.echoes { self.send(text) }
    }

    private func carryOut() {
        for action in self.outbox.takeAll() { self.carryOut(action) }
        if self.end != nil { #expect(!self.isPolling && !self.hasSocket, "somebody is left without an answer") }
        #expect((self.session.deadline == nil) == (self.end != nil))
    }

    private func carryOut(_ action: EngineOutbox.Action) {
        #expect(self.end == nil, "something follows the end")
        switch action {
        case .answerPoll(let packets):
            #expect(self.isPolling, "an answer without a poll")
            #expect(!packets.isEmpty)
            self.isPolling = false
            let payload = EnginePayload(packets, version: self.version, base64Only: self.session.base64Only)
            self.pollAnswers.append(String(decoding: payload.bytes, as: UTF8.self))
            self.packets.append(contentsOf: packets)
        case .write(let packet):
            #expect(self.hasSocket, "a frame without a socket")
            self.frames.append(String(decoding: packet.frame(for: self.version), as: UTF8.self))
            self.packets.append(packet)
        case .closeSocket(let code):
            #expect(self.hasSocket, "a socket is closed twice")
            self.hasSocket = false
            self.closeCodes.append(code)
        case .upgraded: self.upgrades += 1
        case .pinged: self.pings += 1
        case .ponged: self.pongs += 1
        case .ended(let reason): self.end = reason
        }
    }
}
