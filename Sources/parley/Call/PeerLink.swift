import Client
import Handset
import ICE
import Negotiating
import Pathways
import Peer
import Reactor
import Vocabulary

/// The peer at the other end of a connection, and the way signals take to them. Both may offer at any time: of two offers
/// that cross, the polite side takes its own back (webrtc-pc §10.7).
final class PeerLink: PeerConnectionHandler {
    let connection: PeerConnection
    let handset: Handset
    let detector: LevelDetector
    private let isPolite: Bool
    /// Nothing is offered before their offer came.
    private var waitsForOffer: Bool
    private var ignoresCandidates = false
    private let signal: (SignalMessage.Content) -> Void
    private let told: (PeerEvent) -> Void
    private(set) var connectedAt: Instant?
    /// How often it has been connected.
    private(set) var connections = 0
    private var isClosed = false
    private let ear = Ear()
    private var complaints = 0
    /// Of one peer; what else is wrong with its descriptions will be much the same.
    private static let maximumComplaints = 10

    /// - Parameters:
    ///   - begins: this side offers; it is the impolite one.
    ///   - signal: carries to the other side.
    ///   - told: hears what happens.
    init(
        _ make: (any PeerConnectionHandler) -> PeerConnection, begins: Bool, feed: (any SoundFeed)?,
        sinks: [any SoundSink], ownSinks: [any SoundSink], sound: SoundSettings, on reactor: Reactor,
        signal: @escaping (SignalMessage.Content) -> Void,
        told: @escaping (PeerEvent) -> Void
    ) {
        self.connection = make(self.ear)
        self.detector = LevelDetector(channels: sound.channels)
        self.handset = Handset(
            self.connection, on: reactor, feed: feed, sinks: [self.detector] + sinks, ownSinks: ownSinks,
            plays: sound.isPlayed, channels: sound.channels)
        self.isPolite = !begins
        self.waitsForOffer = !begins
        self.signal = signal
        self.told = told
        self.ear.link = self
        if begins { self.connection.addTransceiver() } else { self.connection.addTrack() }
    }

    /// What the connection tells; the link has to be there first.
    private final class Ear: PeerConnectionHandler {
        weak var link: PeerLink?

        func happened(_ event: PeerEvent, at connection: PeerConnection) {
            self.link?.happened(event, at: connection)
        }
    }

    /// It has not been connected again since it was for that time.
    func isBroken(since count: Int) -> Bool {
        self.connections == count && self.connection.connectionState != .connected
    }

    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.handset.hangUp()
        for failure in self.handset.failures { Terminal.complain("parley: \(failure)") }
        self.connection.close()
    }
}

// MARK: - Signals

extension PeerLink {
    func received(_ content: SignalMessage.Content) {
        switch content {
        case .description(let json):
            guard let description = SessionDescription(json) else { return }
            self.attempt { () throws(NegotiationError) in try self.described(description) }
        case .candidate(let json):
            guard let candidate = CandidateDescription(json), !self.ignoresCandidates else { return }
            self.connection.addIceCandidate(candidate.candidate)
        case .data: return
        }
    }

    private func described(_ description: SessionDescription) throws(NegotiationError) {
        guard let kind = DescriptionKind(rawValue: description.kind.rawValue) else { return }
        let crosses = kind == .offer && self.connection.signalingState != .stable
        self.ignoresCandidates = crosses && !self.isPolite
        guard !self.ignoresCandidates else { return }
        if crosses { try self.connection.setLocalDescription(.rollback) }
        try self.connection.setRemoteDescription(kind, description.sdp)
        self.waitsForOffer = false
        if kind == .offer { try self.describe(.answer) }
    }

    private func describe(_ kind: DescriptionKind) throws(NegotiationError) {
        let sdp = kind == .offer ? try self.connection.createOffer() : try self.connection.createAnswer()
        self.signal(.description(SessionDescription(kind == .offer ? .offer : .answer, sdp: sdp).json))
        try self.connection.setLocalDescription(kind, sdp)
    }

    private func attempt(_ body: () throws(NegotiationError) -> Void) {
        do throws(NegotiationError) {
            try body()
        } catch {
            self.complaints += 1
            if self.complaints <= Self.maximumComplaints { Terminal.complain("parley: \(error)") }
        }
    }

    func happened(_ event: PeerEvent, at connection: PeerConnection) {
        guard !self.isClosed else { return }
        switch event {
        case .negotiationNeeded:
            guard !self.waitsForOffer, connection.signalingState == .stable else { return }
            self.attempt { () throws(NegotiationError) in try self.describe(.offer) }
        case .candidate(let candidate, let mid, let index):
            let description = CandidateDescription(
                candidate.text, mid: mid, lineIndex: index, usernameFragment: candidate.usernameFragment)
            self.signal(.candidate(description.json))
        case .candidatesEnded: self.signal(.candidate(CandidateDescription("", mid: nil, lineIndex: 0).json))
        case .stateChanged(let state): self.became(state)
        case .payloadsWaiting: self.handset.takePayloads()
        default: break
        }
        self.told(event)
    }

    private func became(_ state: ConnectionState) {
        if state == .connected {
            self.connections += 1
            self.connectedAt = self.connectedAt ?? SteadyClock.now
            self.handset.lift()
        }
        // Networks change; new checks find out.
        if state == .failed, self.connectedAt != nil, !self.isPolite { self.connection.restartIce() }
    }
}
