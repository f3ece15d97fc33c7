internal import Client
internal import ICE
internal import Negotiating
internal import Pathways
internal import Peer
internal import Vocabulary

/// One side of a call: it says its tone, and counts what comes. The caller offers, once.
final class LoadPeer {
    enum News {
        /// All candidates are known.
        case gathered
        case connected, heard, failed
    }

    private var connection: PeerConnection?
    private let offers: Bool
    private let signal: (SignalMessage.Content) -> Void
    private let told: (News) -> Void
    private let tone: LoadTone
    private let isListener: Bool
    private var isConnected = false
    private var said = 0
    private var due: Instant?
    private var heard: [Float] = []
    private let ear = Ear()

    /// What the connection tells; the peer has to be there first.
    private final class Ear: PeerConnectionHandler {
        weak var peer: LoadPeer?

        func happened(_ event: PeerEvent, at connection: PeerConnection) { self.peer?.happened(event, at: connection) }
    }

    /// - Parameters:
    ///   - isListener: what comes is decoded and played, to nobody.
    ///   - signal: carries to the other side.
    init(
        _ factory: PeerConnectionFactory, offers: Bool, isListener: Bool, _ tone: LoadTone,
        _ impairment: NetworkImpairment, signal: @escaping (SignalMessage.Content) -> Void,
        told: @escaping (News) -> Void
    ) {
        self.offers = offers
        self.tone = tone
        self.isListener = isListener
        self.signal = signal
        self.told = told
        self.ear.peer = self
        var settings = PeerSettings()
        settings.sound.isPlayed = isListener
        let connection = factory.make(
            settings, servers: FoundServers(), isCalled: !offers, takesConnections: false,
            impairment: impairment.isNone ? nil : impairment, handler: self.ear)
        self.connection = connection
        if offers { connection.addTransceiver() } else { connection.addTrack() }
    }

    func close() { self.connection.take()?.close() }

    /// With all candidates that are known by now.
    var localDescription: String? { self.connection?.localDescription }
    var statistics: CallStatistics? { self.connection?.getStats() }
}

// MARK: - Signals

extension LoadPeer {
    func received(_ content: SignalMessage.Content) {
        switch content {
        case .description(let json): SessionDescription(json).map { self.described($0) }
        case .candidate(let json): CandidateDescription(json).map { self.connection?.addIceCandidate($0.candidate) }
        case .data: return
        }
    }

    private func described(_ description: SessionDescription) {
        guard let connection = self.connection, let kind = DescriptionKind(rawValue: description.kind.rawValue)
        else { return }
        do throws(NegotiationError) {
            try connection.setRemoteDescription(kind, description.sdp)
            if kind == .offer { try self.describe(.answer, by: connection) }
        } catch {
            self.told(.failed)
        }
    }

    private func describe(_ kind: DescriptionKind, by connection: PeerConnection) throws(NegotiationError) {
        let sdp = kind == .offer ? try connection.createOffer() : try connection.createAnswer()
        self.signal(.description(SessionDescription(kind == .offer ? .offer : .answer, sdp: sdp).json))
        try connection.setLocalDescription(kind, sdp)
    }

    private func happened(_ event: PeerEvent, at connection: PeerConnection) {
        switch event {
        case .negotiationNeeded:
            guard self.offers, connection.signalingState == .stable, connection.localDescription == nil else { return }
            do throws(NegotiationError) {
                try self.describe(.offer, by: connection)
            } catch {
                self.told(.failed)
            }
        case .candidate(let candidate, let mid, let index):
            let description = CandidateDescription(
                candidate.text, mid: mid, lineIndex: index, usernameFragment: candidate.usernameFragment)
            self.signal(.candidate(description.json))
        case .candidatesEnded: self.told(.gathered)
        case .stateChanged(.connected): self.connected()
        case .stateChanged(.failed): self.told(.failed)
        case .heard: self.told(.heard)
        default: return
        }
    }

    private func connected() {
        guard !self.isConnected else { return }
        self.isConnected = true
        self.told(.connected)
    }
}

// MARK: - Sound

extension LoadPeer {
    /// Says what is due: a packet every 20 ms, and after a moment that was too busy those that are owed.
    func talk(at now: Instant) {
        guard self.isConnected, let connection = self.connection else { return }
        // Not all who talk do so at the same moment.
        var due = self.due ?? now.advanced(by: .microseconds(Int.random(in: 0..<20_000)))
        var count = 0
        while due <= now, count < Self.maximumOwed {
            self.sayOnce(connection)
            due = due.advanced(by: .milliseconds(20))
            count += 1
        }
        self.due = due
    }

    private static let maximumOwed = 50

    private func sayOnce(_ connection: PeerConnection) {
        connection.forward(self.tone.packet(self.said).span, duration: LoadTone.packetSamples)
        self.said += 1
        guard self.isListener else { return }
        if self.heard.isEmpty { self.heard = [Float](repeating: 0, count: LoadTone.packetSamples / 2) }
        for _ in 0..<2 {
            var span = self.heard.mutableSpan
            connection.pull(into: &span)
        }
    }
}
