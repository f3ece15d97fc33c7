package import AudioStreams
package import ICE
package import Negotiating
package import Pathways
package import Reactor
package import SDP
package import Secure
package import VideoStreams
package import Vocabulary

/// Who is told what becomes of a connection, always on its loop.
package protocol PeerConnectionHandler: AnyObject {
    func happened(_ event: PeerEvent, at connection: PeerConnection)
}

/// A connection to another peer, under the names of `RTCPeerConnection`: a call with sockets.
///
/// It belongs to one loop for life. What it is asked happens at once; what comes of that is told to the handler, in its
/// order.
package final class PeerConnection {
    /// How others are reached.
    package struct Means {
        package var peers = PeerPathSettings()
        package var relays: [RelayServer] = []
        /// The addresses of ours to be used, for as long as this lasts; without them the watch says which there are.
        package var addresses: [IPAddress] = []
        package var watch: InterfaceWatch?

        package init() {}
    }

    private let path: PeerPath<CallSession>
    private let means: Means
    private var handler: (any PeerConnectionHandler)?
    /// Events are told one after the other, also when what is told asks for more.
    private var isTelling = false
    private let observer: Observer

    /// What the path tells; it would otherwise have to be there before the path.
    private final class Observer: PeerPathHandler {
        weak var connection: PeerConnection?

        func happened(_ event: ICEEvent, on path: PeerPath<CallSession>) {}
        func received(_ payload: Span<UInt8>, on path: PeerPath<CallSession>) {}
        func failed(_ error: CandidateError, on path: PeerPath<CallSession>) {
            self.connection?.tell(.candidateError(error))
        }
        func settled(_ path: PeerPath<CallSession>) { self.connection?.tell() }
    }

    package init(
        _ settings: PeerSettings, _ context: DTLSContext, on reactor: Reactor, by means: Means,
        handler: any PeerConnectionHandler
    ) {
        self.means = means
        self.handler = handler
        self.observer = Observer()
        self.path = PeerPath(
            CallSession(settings, context, random: SystemRandomNumberGenerator()), on: reactor, by: means.peers,
            handler: self.observer)
        self.observer.connection = self
    }

    private func tell() {
        guard !self.isTelling else { return }
        self.isTelling = true
        defer { self.isTelling = false }
        while true {
            let events = self.path.inspect { $0.takeEvents() }
            guard !events.isEmpty else { return }
            for event in events { self.tell(event) }
        }
    }

    private func tell(_ event: PeerEvent) {
        if event == .gatheringWanted { self.gather() }
        self.handler?.happened(event, at: self)
    }

    private func gather() {
        if let watch = self.means.watch { return self.path.start(following: watch, relays: self.means.relays) }
        do throws(ReactorError) {
            try self.path.start(on: self.means.addresses, relays: self.means.relays)
        } catch {
            // An address that cannot be used is one way less; without any the state says so.
            self.path.act { $0.pathsEnded(at: $1, into: &$2) }
        }
    }

    /// The end, told to the other side. Nothing is told to the handler any more.
    package func close() {
        self.handler = nil
        self.path.close()
    }
}

// MARK: - Descriptions, as RTCPeerConnection has them

extension PeerConnection {
    package var signalingState: SignalingState { self.path.inspect { $0.negotiation.state } }
    package var connectionState: ConnectionState { self.path.inspect { $0.state } }
    package var iceConnectionState: ICEState { self.path.inspect { $0.agent.state } }
    package var transceivers: [Transceiver] { self.path.inspect { $0.negotiation.transceivers } }
    /// With all candidates that are known by now.
    package var localDescription: String? { self.path.inspect { $0.localDescription } }
    package var remoteDescription: String? { self.path.inspect { $0.negotiation.remoteDescription?.text } }

    @discardableResult
    package func addTransceiver(
        _ kind: MediaKind = .audio, _ direction: SDPDirection = .sendReceive, name: String? = nil
    ) -> Int {
        self.path.act { session, _, _ in session.addTransceiver(kind, direction, name: name) }
    }

    /// A transceiver that may find its section in an offer of theirs.
    @discardableResult
    package func addTrack(_ kind: MediaKind = .audio, name: String? = nil) -> Int {
        self.path.act { session, _, _ in session.addTransceiver(kind, name: name, isForTrack: true) }
    }

    package func setDirection(_ direction: SDPDirection, of transceiver: Int) {
        self.path.act { session, _, _ in session.setDirection(direction, of: transceiver) }
    }

    package func createOffer(iceRestart: Bool = false) throws(NegotiationError) -> String {
        try self.path.act { session, _, _ throws(NegotiationError) in
            try session.createOffer(restartingICE: iceRestart)
        }
    }

    package func createAnswer() throws(NegotiationError) -> String {
        try self.path.act { session, _, _ throws(NegotiationError) in try session.createAnswer() }
    }

    package func setLocalDescription(_ kind: DescriptionKind, _ sdp: String? = nil) throws(NegotiationError) {
        try self.path.act { session, now, outbox throws(NegotiationError) in
            try session.setLocalDescription(kind, sdp, at: now, into: &outbox)
        }
    }

    package func setRemoteDescription(_ kind: DescriptionKind, _ sdp: String) throws(NegotiationError) {
        try self.path.act { session, now, outbox throws(NegotiationError) in
            try session.setRemoteDescription(kind, sdp, at: now, into: &outbox)
        }
    }

    package func addIceCandidate(_ candidate: String) {
        self.path.act { $0.addCandidate(candidate, at: $1, into: &$2) }
    }

    package func restartIce() { self.path.act { session, _, _ in session.restartICE() } }

    package func getStats() -> CallStatistics { self.path.inspect { $0.statistics } }
}

// MARK: - Sound

extension PeerConnection {
    package func speak(_ sound: Span<Float>, on transceiver: Int = 0) {
        self.path.act { $0.speak(sound, on: transceiver, at: $1, into: &$2) }
    }

    package func forward(_ opus: Span<UInt8>, duration: Int, on transceiver: Int = 0) {
        self.path.act { $0.forward(opus, duration: duration, on: transceiver, at: $1, into: &$2) }
    }

    package func pull(into sound: inout MutableSpan<Float>, on transceiver: Int = 0) {
        self.path.inspect { $0.pull(into: &sound, on: transceiver, at: SteadyClock.now) }
    }

    /// Lends what came, packet by packet.
    package func takePayloads(of transceiver: Int = 0, _ body: (AudioPayload) -> Void) {
        while let payload = self.path.inspect({ $0.nextPayload(on: transceiver, at: SteadyClock.now) }) {
            body(payload)
            self.path.inspect { $0.recycle(payload, on: transceiver) }
        }
    }

    package func press(_ keys: String, on transceiver: Int = 0) -> Int {
        self.path.act { $0.press(keys, on: transceiver, at: $1, into: &$2) }
    }

    package var isDialling: Bool { self.path.inspect { $0.isDialling } }

    package func setTap(_ tap: any PacketTap) { self.path.act { session, _, _ in session.tap = tap } }
}

// MARK: - Pictures

extension PeerConnection {
    /// Lends what came, packet by packet.
    package func takePictures(of transceiver: Int, _ body: (VideoPacket) -> Void) {
        for packet in self.path.inspect({ $0.takePictures(of: transceiver) }) {
            body(packet)
            self.path.inspect { $0.recycle(packet, of: transceiver) }
        }
    }

    /// A packet that another connection has lent.
    package func forward(_ packet: VideoPacket, on transceiver: Int) {
        self.path.act { $0.forward(packet, on: transceiver, at: $1, into: &$2) }
    }

    package func requestKeyFrame(of transceiver: Int) {
        self.path.act { $0.requestKeyFrame(of: transceiver, at: $1, into: &$2) }
    }
}
