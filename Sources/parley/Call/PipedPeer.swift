import AudioStreams
import Client
import Handset
import ICE
import JSON
import MediaStreams
import Negotiating
import Pathways
import Peer
import Reactor
import Secure
import Vocabulary

/// A connection whose signalling is lines of JSON on standard input and output.
final class PipedPeer: PeerConnectionHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only, after it was made.
    private let isOffering: Bool
    private let settings: PeerSettings
    private let servers: [AdvisedServer]
    private let feed: (any SoundFeed)?
    private let sinks: [any SoundSink]
    private let ownSinks: [any SoundSink]
    private let capture: CaptureFile?
    private var done: (() -> Void)?
    private var factory: PeerConnectionFactory?
    private var connection: PeerConnection?
    private var handset: Handset?
    private var finder: ServerFinder?
    /// Lines that came before there was anybody to take them.
    private var early: [String] = []
    /// When this side had both descriptions.
    private var began: Instant?
    private var reportTimer: TimerToken?

    init(
        isOffering: Bool, _ settings: PeerSettings, _ servers: [AdvisedServer], feed: (any SoundFeed)?,
        sinks: [any SoundSink], ownSinks: [any SoundSink], capture: CaptureFile?, done: @escaping () -> Void
    ) {
        self.isOffering = isOffering
        self.settings = settings
        self.servers = servers
        self.feed = feed
        self.sinks = sinks
        self.ownSinks = ownSinks
        self.capture = capture
        self.done = done
    }

    func start(on reactor: Reactor) {
        do throws(SecureError) {
            self.factory = try PeerConnectionFactory(on: reactor)
        } catch {
            Terminal.complain("parley peer: \(error)")
            return self.quit()
        }
        let finder = ServerFinder(of: self.servers, on: reactor)
        self.finder = finder
        finder.find { self.open($0) }
    }

    private func open(_ servers: FoundServers) {
        guard let factory = self.factory, self.done != nil else { return }
        let connection = factory.make(self.settings, servers: servers, handler: self)
        self.connection = connection
        if let capture = self.capture { connection.setTap(capture.tap(for: nil)) }
        self.handset = Handset(
            connection, on: factory.reactor, feed: self.feed, sinks: self.sinks, ownSinks: self.ownSinks,
            channels: self.settings.sound.channels)
        if self.isOffering {
            connection.addTransceiver()
            self.attempt { connection throws(NegotiationError) in try self.describe(.offer, connection) }
        } else {
            connection.addTrack()
        }
        for line in self.early { self.heard(line) }
        self.early = []
    }

    func quit() {
        guard let done = self.done.take() else { return }
        if let timer = self.reportTimer.take() { self.factory?.reactor.cancel(timer) }
        self.handset?.hangUp()
        for failure in self.handset?.failures ?? [] { Terminal.complain("parley peer: \(failure)") }
        if let failure = self.capture?.failure { Terminal.complain("parley peer: \(failure)") }
        self.connection?.close()
        self.factory?.close()
        self.say { json in
            json.field("t", "state")
            json.field("v", "closed")
        }
        done()
    }
}

// MARK: - What comes in

extension PipedPeer {
    func heard(_ line: String) {
        guard self.done != nil else { return }
        guard let connection = self.connection else {
            if self.early.count < 256 { self.early.append(line) }
            return
        }
        guard let json = RawJSON(Array(line.utf8)), let kind = json.text("t") else {
            return Terminal.complain("parley peer: not a line of JSON with a \"t\": \(line.prefix(80))")
        }
        switch kind {
        case "sdp": self.attempt { _ throws(NegotiationError) in try self.described(json, connection) }
        case "cand": connection.addIceCandidate(json.text("candidate") ?? "")
        case "quit": self.quit()
        // What another one tells of itself, where two of these talk to each other.
        case "state", "media", "key", "error": return
        default: Terminal.complain("parley peer: nothing is known of \"\(kind)\"")
        }
    }

    private func described(_ json: RawJSON, _ connection: PeerConnection) throws(NegotiationError) {
        guard let kind = json.text("type").flatMap({ DescriptionKind(rawValue: $0) }) else {
            return Terminal.complain("parley peer: a description needs the \"type\" offer or answer")
        }
        try connection.setRemoteDescription(kind, json.text("sdp") ?? "")
        if kind == .offer { try self.describe(.answer, connection) }
        self.hasBoth()
    }

    private func describe(_ kind: DescriptionKind, _ connection: PeerConnection) throws(NegotiationError) {
        let sdp = kind == .offer ? try connection.createOffer() : try connection.createAnswer()
        self.say { json in
            json.field("t", "sdp")
            json.field("type", kind.rawValue)
            json.field("sdp", sdp)
        }
        try connection.setLocalDescription(kind, sdp)
    }

    private func hasBoth() {
        if self.began == nil, self.connection?.signalingState == .stable { self.began = SteadyClock.now }
    }

    private func attempt(_ body: (PeerConnection) throws(NegotiationError) -> Void) {
        guard let connection = self.connection else { return }
        do throws(NegotiationError) {
            try body(connection)
        } catch {
            Terminal.complain("parley peer: \(error)")
        }
    }
}

// MARK: - What goes out

extension PipedPeer {
    func happened(_ event: PeerEvent, at connection: PeerConnection) {
        switch event {
        case .candidate(let candidate, let mid, let index):
            self.say { json in
                json.field("t", "cand")
                json.field("candidate", candidate.text)
                json.nullable("mid", mid)
                json.field("idx", index)
            }
        case .candidatesEnded:
            self.say { json in
                json.field("t", "cand")
                json.field("candidate", "")
            }
        case .candidateError(let error):
            self.say { json in
                json.field("t", "error")
                json.write(error)
            }
        case .stateChanged(let state): self.tell(state)
        case .payloadsWaiting: self.handset?.takePayloads()
        case .heard: if self.reportTimer == nil { self.reportMedia() }
        case .key(let key, _, _):
            self.say { json in
                json.field("t", "key")
                json.field("v", String(key))
            }
        default: return
        }
    }

    private func tell(_ state: ConnectionState) {
        self.hasBoth()
        if state == .connected { self.handset?.lift() }
        guard state != .disconnected, state != .closed else { return }
        self.say { json in
            json.field("t", "state")
            json.field("v", state.rawValue)
            self.writeTime(to: &json)
            json.optional("srtp", self.connection?.getStats().ciphers?.srtp)
        }
    }

    private func reportMedia() {
        let count = self.connection?.getStats().lines.reduce(0) { $0 + ($1.inbound?.packetsReceived ?? 0) } ?? 0
        self.say { json in
            json.field("t", "media")
            json.field("n", Int(clamping: count))
            self.writeTime(to: &json)
        }
        self.reportTimer = self.factory?.reactor.schedule(after: .seconds(1)) { self.reportMedia() }
    }

    private func writeTime(to json: inout JSONWriter) {
        guard let began = self.began else { return }
        json.field("ms", Int(began.duration(to: SteadyClock.now).clampedMilliseconds))
    }

    private func say(_ body: (inout JSONWriter) -> Void) {
        Terminal.print(JSONWriter.line(body))
    }
}
