package import SDP

/// What two sides agree on by offers and answers (JSEP, RFC 9429): which media flows which way, in which codecs
/// and numbers, over which one transport.
///
/// It reads and writes descriptions and knows whose turn it is. It opens nothing; its owner takes `agreement` and the
/// `transceivers` each time the state has become stable.
package struct Negotiation: Sendable {
    package struct Settings: Hashable, Sendable {
        /// What we offer and accept, by kind; sections of other kinds are rejected.
        package var formats: [MediaKind: MediaFormat] = [.audio: .audio()]
        /// Sections of these kinds that only the other side has asked for are answered both ways, and not only received.
        package var mirrored: Set<MediaKind> = []
        /// Who we are in reports: the same for all our streams.
        package var canonicalName: String
        package var maximumSections = 32
        /// Over all offers: sections of theirs for which there is none any more are refused.
        package var maximumTransceivers = 128

        package init(canonicalName: String) {
            self.canonicalName = canonicalName
        }
    }

    /// What is returned to when an offer is taken back.
    private struct Before: Sendable {
        let transceivers: [Transceiver]
        let local: SDPDescription?
        let remote: SDPDescription?
    }

    package let settings: Settings
    package private(set) var state = SignalingState.stable
    package internal(set) var transceivers: [Transceiver] = []
    package private(set) var currentLocal: SDPDescription?
    package private(set) var currentRemote: SDPDescription?
    package private(set) var pendingLocal: SDPDescription?
    package private(set) var pendingRemote: SDPDescription?
    package private(set) var agreement: TransportAgreement?
    /// What was made last, and may be set.
    private var created: (kind: DescriptionKind, description: SDPDescription)?
    private var before: Before?
    private let session: UInt64
    private var version: UInt64 = 0
    var nextName = 0
    var random: any RandomNumberGenerator & Sendable

    package init(_ settings: Settings, random: any RandomNumberGenerator & Sendable) {
        self.settings = settings
        self.random = random
        self.session = self.random.next()
    }

    package var localDescription: SDPDescription? { self.pendingLocal ?? self.currentLocal }
    package var remoteDescription: SDPDescription? { self.pendingRemote ?? self.currentRemote }

    /// Something is wanted that the other side has not heard of (`negotiationneeded`).
    package var isNeeded: Bool {
        guard self.state == .stable else { return false }
        return self.transceivers.contains { transceiver in
            if transceiver.isStopped { return transceiver.currentDirection != nil }
            return transceiver.mediaID == nil || self.wants(transceiver)
        }
    }

    /// The last description of ours said otherwise.
    private func wants(_ transceiver: Transceiver) -> Bool {
        guard let name = transceiver.mediaID, let local = self.currentLocal, let index = local.index(of: name) else {
            return true
        }
        let said = local.direction(of: local.media[index])
        guard said != transceiver.direction else { return false }
        // An answer can only say what the offer leaves room for.
        guard let remote = self.currentRemote, remote.media.indices.contains(index) else { return true }
        return transceiver.currentDirection != transceiver.direction
    }
}

// MARK: - What this side wants

extension Negotiation {
    /// A stream more, of a kind that there is a format for.
    ///
    /// - Parameters:
    ///   - name: of the track, for the other side.
    ///   - isForTrack: their offer may bring the section it will be in.
    @discardableResult
    package mutating func add(
        _ kind: MediaKind = .audio, _ direction: SDPDirection = .sendReceive, stream: String = "-",
        name: String? = nil, isForTrack: Bool = true
    ) -> Int {
        precondition(self.settings.formats[kind] != nil, "no format for \(kind.rawValue)")
        let index = (self.transceivers.last?.index ?? -1) + 1
        self.transceivers.append(
            Transceiver(
                index: index, kind: kind, direction: direction, ssrc: self.freshSource(), streamID: stream,
                trackID: name ?? "\(kind.rawValue)-\(index)", isForTrack: isForTrack))
        return index
    }

    private mutating func freshSource() -> UInt32 {
        while true {
            let source = UInt32(truncatingIfNeeded: self.random.next())
            if source != 0, !self.transceivers.contains(where: { $0.ssrc == source }) { return source }
        }
    }

    package mutating func setDirection(_ direction: SDPDirection, of index: Int) {
        self.change(index) { $0.direction = direction }
    }

    /// The section is refused from the next description on.
    package mutating func stop(_ index: Int) {
        self.change(index) { transceiver in
            transceiver.isStopped = true
            if transceiver.mediaID == nil { transceiver.currentDirection = nil }
        }
    }

    private mutating func change(_ index: Int, _ body: (inout Transceiver) -> Void) {
        guard let place = self.transceivers.firstIndex(where: { $0.index == index }) else { return }
        body(&self.transceivers[place])
    }

    package mutating func close() {
        self.state = .closed
        self.before = nil
        for index in self.transceivers.indices { self.transceivers[index].currentDirection = nil }
    }
}

// MARK: - Our descriptions

extension Negotiation {
    /// - Parameter transport: what is said of it; with other credentials than last time it is a restart of ICE.
    package mutating func createOffer(_ transport: LocalTransport) throws(NegotiationError) -> SDPDescription {
        guard self.state == .stable || self.state == .haveLocalOffer else {
            throw NegotiationError(.invalidState, "an offer cannot be made while their offer has no answer")
        }
        let offer = self.makeOffer(SDPOrigin(session: self.session, version: self.version + 1), transport)
        self.created = (.offer, offer)
        return offer
    }

    package mutating func createAnswer(_ transport: LocalTransport) throws(NegotiationError) -> SDPDescription {
        guard let remote = self.pendingRemote,
            self.state == .haveRemoteOffer || self.state == .haveLocalProvisionalAnswer
        else { throw NegotiationError(.invalidState, "there is no offer to answer") }
        let origin = SDPOrigin(session: self.session, version: self.version + 1)
        let answer = self.makeAnswer(to: remote, origin, transport)
        self.created = (.answer, answer)
        return answer
    }

    /// There is one that can be set.
    package func hasMade(_ kind: DescriptionKind) -> Bool {
        self.created.map { ($0.kind == .offer) == (kind == .offer) } ?? false
    }

    /// - Parameter text: as it was made; nil for whatever was made last.
    package mutating func setLocal(_ kind: DescriptionKind, _ text: String? = nil) throws(NegotiationError) {
        guard let next = self.state.afterLocal(kind) else {
            throw NegotiationError(.invalidState, "no \(kind.rawValue) of ours has a place in \(self.state.rawValue)")
        }
        guard kind != .rollback else { return self.rollBack() }
        guard let created = self.created, self.hasMade(kind), text.map({ $0 == created.description.text }) ?? true
        else { throw NegotiationError(.invalidModification, "the description is not the one that was made last") }
        if kind == .offer {
            self.remember()
            self.nameSections(created.description)
        }
        self.version += 1
        self.pendingLocal = created.description
        self.created = nil
        self.state = next
        try self.settle(isOfferer: false)
    }

    private mutating func remember() {
        guard self.before == nil else { return }
        self.before = Before(
            transceivers: self.transceivers, local: self.currentLocal, remote: self.currentRemote)
    }
}

// MARK: - Their descriptions

extension Negotiation {
    package mutating func setRemote(_ kind: DescriptionKind, _ text: String) throws(NegotiationError) {
        guard let next = self.state.afterRemote(kind) else {
            throw NegotiationError(.invalidState, "no \(kind.rawValue) has a place in \(self.state.rawValue)")
        }
        guard kind != .rollback else { return self.rollBack() }
        let description = try self.read(text)
        if kind == .offer {
            try self.check(offer: description)
            self.remember()
            self.associate(description)
        } else {
            try self.check(answer: description)
        }
        self.pendingRemote = description
        self.created = nil
        self.state = next
        try self.settle(isOfferer: true)
    }

    private func read(_ text: String) throws(NegotiationError) -> SDPDescription {
        var description: SDPDescription
        do throws(SDPError) {
            description = try SDPDescription(parsing: text)
        } catch {
            throw NegotiationError(.invalidAccess, "\(error)")
        }
        guard description.media.count <= self.settings.maximumSections else {
            throw NegotiationError(
                .invalidAccess, "\(description.media.count) sections are more than \(self.settings.maximumSections)")
        }
        // Old clients name nothing (RFC 9429 §5.10).
        for index in description.media.indices where description.media[index].mediaID == nil {
            if let name = SDPMediaID("unnamed-\(index)") { description.media[index].append(name) }
        }
        return description
    }
}

// MARK: - Agreeing

extension Negotiation {
    /// Takes an offer back: everything is as it was, but for what this side has come to want since.
    private mutating func rollBack() {
        guard let before = self.before else { return }
        let wanted = self.transceivers
        self.transceivers = wanted.filter { $0.index < before.transceivers.count || !$0.isTheirs }
        for index in self.transceivers.indices {
            let old = before.transceivers.first { $0.index == self.transceivers[index].index }
            self.transceivers[index].mediaID = old?.mediaID
            self.transceivers[index].currentDirection = old?.currentDirection
        }
        self.pendingLocal = nil
        self.pendingRemote = nil
        self.created = nil
        self.before = nil
        self.state = .stable
    }

    /// When both have spoken, what they said holds.
    private mutating func settle(isOfferer: Bool) throws(NegotiationError) {
        guard self.state != .haveLocalOffer, self.state != .haveRemoteOffer,
            let local = self.pendingLocal, let remote = self.pendingRemote
        else { return }
        self.agreement = try self.agree(local, remote, isOfferer: isOfferer) ?? self.agreement
        guard self.state == .stable else { return }
        (self.currentLocal, self.currentRemote) = (local, remote)
        (self.pendingLocal, self.pendingRemote) = (nil, nil)
        self.before = nil
    }
}
