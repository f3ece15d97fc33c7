package import ICE
package import Negotiating
package import SDP
package import Secure
package import Vocabulary

/// One call: descriptions, the path, its secrecy and the media on it, as a value that takes packets and the time, and
/// fills an outbox.
///
///     descriptions ─▶ Negotiation ─▶ who they are, what flows ─┐
///     packets ─▶ ICEAgent ─▶ SecureTransport ─▶ lines ◀────────┘
///
/// It opens nothing and has no clock. Its owner carries out what the agent wants (`Outbox`), takes the `events`
/// after each call, and comes back when it says (`findDeadline`).
package struct CallSession {
    package let settings: PeerSettings
    package internal(set) var agent: ICEAgent
    package internal(set) var negotiation: Negotiation
    private var events: [PeerEvent] = []
    // The facets of paths and media work with these, too.
    var transport: SecureTransport
    var media: SessionMedia
    private var candidates = CandidateExchange()
    private var random: any RandomNumberGenerator & Sendable
    /// A packet of theirs while it is opened.
    var buffer: [UInt8] = []
    /// Sees packets as they are when nothing keeps them secret.
    package var tap: (any PacketTap)?
    /// What the agreement was the last time it was carried out.
    private var agreed: RemoteTransport?
    /// For a restart of ICE that is not agreed on yet.
    private var nextCredentials: ICECredentials?
    private var wantsRestart = false
    private var saidIsNeeded = false
    private var isGathering = false
    /// The agent's, while nothing comes that could bring it closer.
    private var agentDeadline: Instant?
    private var lastState = (connection: ConnectionState.new, security: SecurityState.new)

    package init(_ settings: PeerSettings, _ context: DTLSContext, random: any RandomNumberGenerator & Sendable) {
        self.settings = settings
        self.random = random
        let credentials = ICECredentials(using: &self.random)
        self.agent = ICEAgent(.controlled, credentials, settings: settings.ice, random: self.random)
        // A generator with a seed is copied: the machines are not to begin with the same number.
        _ = self.random.next()
        self.negotiation = Negotiation(Negotiation.Settings(settings), random: self.random)
        self.transport = SecureTransport(context)
        self.media = SessionMedia(settings)
    }

    package var state: ConnectionState { ConnectionState(self.agent.state, self.transport.state) }
    package var securityState: SecurityState { self.transport.state }

    package var statistics: CallStatistics {
        CallStatistics(
            state: self.state, transport: self.agent.snapshot, ciphers: self.transport.ciphers,
            roundTrip: self.media.roundTrip ?? self.agent.roundTrip, lines: self.media.statistics)
    }

    package var hasNews: Bool { !self.events.isEmpty || self.media.hasEvents }

    package mutating func takeEvents() -> [PeerEvent] {
        self.takeMediaEvents()
        defer { self.events.removeAll(keepingCapacity: true) }
        return self.events
    }

    /// What the lines have to tell comes behind what was told before.
    private mutating func takeMediaEvents() {
        if self.media.hasEvents { self.events += self.media.takeEvents() }
    }

    package mutating func findDeadline() -> Instant? {
        let media = self.transport.isOpen ? self.media.findDeadline() : nil
        self.agentDeadline = self.agentDeadline ?? self.agent.deadline
        return .earlier(.earlier(self.agentDeadline, self.transport.deadline), media)
    }
}

// MARK: - Descriptions

extension CallSession {
    /// A stream more, which may be sent, received or both. Pictures need `PeerSettings.video`.
    @discardableResult
    package mutating func addTransceiver(
        _ kind: MediaKind = .audio, _ direction: SDPDirection = .sendReceive, name: String? = nil,
        isForTrack: Bool = false
    ) -> Int {
        defer { self.noticeNeed() }
        return self.negotiation.add(kind, direction, stream: "parley", name: name, isForTrack: isForTrack)
    }

    package mutating func setDirection(_ direction: SDPDirection, of transceiver: Int) {
        self.negotiation.setDirection(direction, of: transceiver)
        self.noticeNeed()
    }

    package mutating func stop(_ transceiver: Int) {
        self.negotiation.stop(transceiver)
        self.noticeNeed()
    }

    /// The next offer asks for new checks on all ways; until they have succeeded, packets go the old one.
    package mutating func restartICE() {
        self.wantsRestart = true
        self.noticeNeed()
    }

    package mutating func createOffer(restartingICE: Bool = false) throws(NegotiationError) -> String {
        if self.wantsRestart || restartingICE, self.agreed != nil { self.drawCredentials() }
        return try self.negotiation.createOffer(self.localTransport()).text
    }

    package mutating func createAnswer() throws(NegotiationError) -> String {
        let offer = self.negotiation.pendingRemote
        if let agreed = self.agreed, let offer, agreed.differs(from: offer) { self.drawCredentials() }
        return try self.negotiation.createAnswer(self.localTransport(answering: offer)).text
    }

    /// Without a text it is the one that was made last, or is made now.
    package mutating func setLocalDescription(
        _ kind: DescriptionKind, _ text: String? = nil, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) throws(NegotiationError) {
        let isFirst = self.negotiation.localDescription == nil && self.negotiation.remoteDescription == nil
        if text == nil, !self.negotiation.hasMade(kind) { try self.make(kind) }
        try self.negotiation.setLocal(kind, text)
        if kind == .offer, isFirst { self.agent.assume(.controlling) }
        if kind == .offer, self.agreed == nil, self.settings.embedsHandshake { self.agent.handshake.begin() }
        if kind == .rollback { self.nextCredentials = nil }
        self.settle(at: now, into: &outbox)
        guard kind != .rollback else { return }
        if self.nextCredentials == nil { self.candidates.described() }
        self.gather()
        self.tellCandidates()
    }

    package mutating func setRemoteDescription(
        _ kind: DescriptionKind, _ text: String, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) throws(NegotiationError) {
        try self.negotiation.setRemote(kind, text)
        if kind == .rollback { self.nextCredentials = nil }
        self.settle(at: now, into: &outbox)
    }

    private mutating func make(_ kind: DescriptionKind) throws(NegotiationError) {
        switch kind {
        case .offer: _ = try self.createOffer()
        case .answer, .pranswer: _ = try self.createAnswer()
        case .rollback: return
        }
    }

    private mutating func drawCredentials() {
        if self.nextCredentials == nil { self.nextCredentials = ICECredentials(using: &self.random) }
    }

    private mutating func localTransport(answering offer: SDPDescription? = nil) -> LocalTransport {
        let credentials = self.nextCredentials ?? self.agent.credentials
        return LocalTransport(
            usernameFragment: credentials.usernameFragment, password: credentials.password,
            fingerprint: self.transport.fingerprint,
            candidates: self.candidates.describe(for: credentials.usernameFragment),
            hasAllCandidates: self.candidates.hasAll,
            embedsHandshake: self.settings.embedsHandshake && offer?.embedsHandshake != false)
    }

    /// After each description: what holds now is carried out.
    private mutating func settle(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        if let agreement = self.negotiation.agreement, self.negotiation.state.isAgreed {
            self.carryOut(agreement, at: now, into: &outbox)
        }
        self.events.append(.signalingStateChanged(self.negotiation.state))
        if self.negotiation.state == .stable { self.saidIsNeeded = false }
        self.noticeNeed()
        self.noticeStates()
    }

    private mutating func noticeNeed() {
        guard self.negotiation.state == .stable, !self.saidIsNeeded else { return }
        guard self.negotiation.isNeeded || self.wantsRestart && self.agreed != nil else { return }
        self.saidIsNeeded = true
        self.events.append(.negotiationNeeded)
    }

    private mutating func carryOut(
        _ agreement: TransportAgreement, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        let remote = agreement.remote
        // The first check may carry the first flight of DTLS.
        self.withAgent(into: &outbox, at: now) { session, outbox in
            session.transport.agreed(
                agreement, embeds: session.settings.embedsHandshake, &session.agent, at: now, into: &outbox)
        }
        if self.agreed?.usernameFragment != remote.usernameFragment || self.agreed?.password != remote.password {
            self.begin(remote, at: now, into: &outbox)
        }
        self.agreed = remote
        self.media.carryOut(self.negotiation.transceivers, random: &self.random)
        self.takeMediaEvents()
    }

    /// A first meeting, or another one with new credentials.
    private mutating func begin(_ remote: RemoteTransport, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard
            let credentials = ICECredentials(usernameFragment: remote.usernameFragment, password: remote.password)
        else { return }
        if let next = self.nextCredentials.take() {
            self.wantsRestart = false
            self.candidates.restart()
            self.withAgent(into: &outbox, at: now) { $0.agent.restart(next, at: now, into: &$1) }
        }
        self.withAgent(into: &outbox, at: now) {
            $0.agent.remoteDescribed(credentials, isLite: remote.isLite, at: now, into: &$1)
        }
        for text in remote.candidates { self.candidateReceived(ICECandidate(text), at: now, into: &outbox) }
        if remote.hasAllCandidates { self.remoteCandidatesEnded(at: now, into: &outbox) }
        for candidate in self.candidates.takeEarly() { self.received(candidate, at: now, into: &outbox) }
    }
}

// MARK: - Candidates

extension CallSession {
    /// One of theirs, as it came beside the descriptions. An empty text says that there are no more.
    package mutating func addCandidate(_ text: String, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        let candidate = text.isEmpty ? nil : ICECandidate(text)
        guard text.isEmpty || candidate != nil else { return }
        let isForLater = candidate?.usernameFragment.map { $0 != self.agreed?.usernameFragment } ?? false
        guard self.agreed != nil, self.negotiation.state == .stable || !isForLater else {
            return self.candidates.keepEarly(candidate, atMost: self.settings.ice.maximumRemotes)
        }
        self.received(candidate, at: now, into: &outbox)
    }

    /// One of theirs; nil says that there are no more.
    private mutating func received(_ candidate: ICECandidate?, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        if let candidate {
            self.candidateReceived(candidate, at: now, into: &outbox)
        } else {
            self.remoteCandidatesEnded(at: now, into: &outbox)
        }
    }

    /// Ours as it holds now, with all candidates that are known by now: for those who take no others.
    package var localDescription: String? {
        guard var local = self.negotiation.localDescription,
            let first = local.media.firstIndex(where: { !$0.isRejected })
        else { return nil }
        local.media[first].removeAttributes("candidate")
        local.media[first].set(.endOfCandidates, to: false)
        let fragment = (local.media[first].first() as SDPUsernameFragment?)?.value ?? ""
        for candidate in self.candidates.texts(for: fragment) { local.media[first].append(candidate: candidate) }
        local.media[first].set(.endOfCandidates, to: self.candidates.hasAll)
        return local.text
    }

    private mutating func candidateReceived(
        _ candidate: ICECandidate?, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let candidate else { return }
        self.withAgent(into: &outbox, at: now) { $0.agent.candidateReceived(candidate, at: now, into: &$1) }
    }

    private mutating func remoteCandidatesEnded(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        self.withAgent(into: &outbox, at: now) { $0.agent.remoteCandidatesEnded(at: now, into: &$1) }
    }

    private mutating func gather() {
        guard !self.isGathering else { return }
        self.isGathering = true
        self.events.append(.gatheringWanted)
    }

    /// Those the other side does not know of yet. The descriptions come first.
    private mutating func tellCandidates() {
        guard let local = self.negotiation.localDescription, self.isGathering,
            let index = local.media.firstIndex(where: { !$0.isRejected })
        else { return }
        for candidate in self.candidates.takeUntold() {
            self.events.append(.candidate(candidate, mediaID: local.media[index].mediaID?.value, index: index))
        }
    }
}

// MARK: - What becomes of the agent

extension CallSession {
    /// Lets the agent do something, and hears what it says about it.
    mutating func withAgent<Result>(
        into outbox: inout Outbox<ICEEvent>, at now: Instant,
        _ body: (inout CallSession, inout Outbox<ICEEvent>) -> Result
    ) -> Result {
        let first = (events: outbox.events.count, packets: outbox.packets.count)
        let result = body(&self, &outbox)
        self.hear(first: first, at: now, into: &outbox)
        return result
    }

    /// What the agent has said and sent since `first`.
    private mutating func hear(
        first: (events: Int, packets: Int), at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        self.agentDeadline = nil
        if let tap = self.tap { self.show(outbox, from: first.packets, to: tap, at: now) }
        var index = first.events
        while index < outbox.events.count {
            self.heard(outbox.events[index], at: now, into: &outbox)
            index += 1
        }
        self.openReports(at: now)
        self.noticeStates()
    }

    /// Lets the agent look at a packet. Most are media, and nothing else comes of those.
    mutating func passToAgent(
        _ packet: Span<UInt8>, on path: PathID, from address: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> ICEReceipt {
        let first = (events: outbox.events.count, packets: outbox.packets.count)
        let receipt = self.agent.received(packet, on: path, from: address, at: now, into: &outbox)
        if receipt == .handled { self.takeEmbedded(at: now, into: &outbox) }
        if receipt != .data || outbox.events.count > first.events {
            self.hear(first: first, at: now, into: &outbox)
        } else if let deadline = self.agentDeadline, deadline > now + ICEAgent.soonestAfterData {
            self.agentDeadline = nil
        }
        return receipt
    }

    /// A check that carried a flight is answered with the next one.
    private mutating func takeEmbedded(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.agent.handshake.hasDatagrams else { return }
        self.transport.takeEmbedded(&self.agent, at: now, into: &outbox)
        self.agent.answerCheck(into: &outbox)
    }

    /// Checks and handshakes; media is shown while it can be read.
    private func show(_ outbox: Outbox<ICEEvent>, from first: Int, to tap: any PacketTap, at now: Instant) {
        for packet in outbox.packets.packets.dropFirst(first) {
            outbox.packets.withBytes(of: packet) { bytes in
                guard !bytes.isEmpty, bytes[0] < 64 else { return }
                tap.passed(bytes, from: self.agent.address(of: packet.path), to: packet.destination, at: now)
            }
        }
    }

    private mutating func heard(_ event: ICEEvent, at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        switch event {
        case .candidate(let candidate):
            self.candidates.add(candidate)
            self.tellCandidates()
        case .candidatesEnded:
            self.candidates.hasAll = true
            self.tellCandidates()
            if self.negotiation.localDescription != nil { self.events.append(.candidatesEnded) }
        case .stateChanged(let state): self.events.append(.iceStateChanged(state))
        case .selected: self.transport.pathOpened(&self.agent, at: now, into: &outbox)
        case .roleChanged, .resolve, .peerExpected, .dial, .serverSilent: return
        }
    }

    /// Reports begin when there is a peer to read them.
    private mutating func openReports(at now: Instant) {
        guard !self.media.hasReports, self.transport.isOpen, let first = self.negotiation.transceivers.first else {
            return
        }
        self.media.openReports(first, seed: self.random.next(), at: now)
    }

    private mutating func noticeStates() {
        if self.transport.state != self.lastState.security {
            self.lastState.security = self.transport.state
            self.events.append(.securityStateChanged(self.transport.state))
        }
        if self.state != self.lastState.connection {
            self.lastState.connection = self.state
            self.events.append(.stateChanged(self.state))
        }
    }
}

extension SignalingState {
    /// Both sides have spoken, at least for now.
    fileprivate var isAgreed: Bool {
        self == .stable || self == .haveLocalProvisionalAnswer || self == .haveRemoteProvisionalAnswer
    }
}

extension RemoteTransport {
    /// The offer wants new checks.
    fileprivate func differs(from offer: SDPDescription) -> Bool {
        guard let section = offer.media.first(where: { !$0.isRejected }),
            let fragment = offer.first(SDPUsernameFragment.self, for: section),
            let password = offer.first(SDPPassword.self, for: section)
        else { return false }
        return fragment.value != self.usernameFragment || password.value != self.password
    }
}

extension SDPDescription {
    /// Its checks may carry the handshake of DTLS.
    fileprivate var embedsHandshake: Bool {
        self.media.first { !$0.isRejected }.map { self.embedsHandshake($0) } ?? false
    }
}

extension Negotiation.Settings {
    fileprivate init(_ settings: PeerSettings) {
        self.init(canonicalName: settings.canonicalName)
        var opus = OpusParameters()
        opus.isStereo = settings.sound.isStereo
        self.formats = [.audio: .audio(opus)]
        guard let video = settings.video else { return }
        self.formats[.video] = .video(video.codecs)
        if video.echoes { self.mirrored = [.video] }
    }
}
