internal import SDP

// What descriptions of the other side have to be, and what they make of us (RFC 9429 §5.8 to §5.11).

extension Negotiation {
    func transceiver(named name: SDPMediaID?) -> Transceiver? {
        guard let name else { return nil }
        return self.transceivers.first { $0.mediaID == name }
    }

    func check(offer: SDPDescription) throws(NegotiationError) {
        if let old = self.currentRemote, offer.media.count < old.media.count {
            throw NegotiationError(
                .invalidAccess, "the offer has \(offer.media.count) sections, and had \(old.media.count) before")
        }
        // What makes no sense is better said before anybody relies on it.
        for section in offer.media where self.isAcceptable(section, in: offer) {
            _ = try RemoteTransport(section, in: offer)
        }
    }

    func check(answer: SDPDescription) throws(NegotiationError) {
        guard let offer = self.pendingLocal else { return }
        guard answer.media.count == offer.media.count else {
            throw NegotiationError(
                .invalidAccess, "the answer has \(answer.media.count) sections, the offer has \(offer.media.count)")
        }
        for (index, (theirs, ours)) in zip(answer.media, offer.media).enumerated() {
            guard theirs.kind == ours.kind else {
                throw NegotiationError(
                    .invalidAccess, "section \(index + 1) is \(theirs.kind), but \(ours.kind) was offered")
            }
            guard !theirs.isRejected else { continue }
            guard !ours.isRejected else {
                throw NegotiationError(.invalidAccess, "section \(index + 1) is accepted, but was not offered")
            }
            guard self.sendingFormat(theirs) != nil else {
                throw NegotiationError(.invalidAccess, "section \(index + 1) has no codec that was offered")
            }
            _ = try RemoteTransport(theirs, in: answer)
        }
    }

    /// Media of a kind that is wanted, in a codec we know, over the one kind of transport we speak.
    private func isAcceptable(_ section: SDPMedia, in description: SDPDescription) -> Bool {
        guard let kind = section.mediaKind, !section.isRejected, section.transport.hasSuffix("SAVPF"),
            section.has(.rtcpMux), self.sendingFormat(section) != nil
        else { return false }
        // A section stays of the kind it was (RFC 9429 §5.2.2).
        return self.transceiver(named: section.mediaID).map { $0.kind == kind } ?? true
    }

    /// How media is sent to the peer that describes a section; nil where there is no codec that both sides have.
    private func sendingFormat(_ section: SDPMedia) -> MediaFormat? {
        guard let kind = section.mediaKind, let ours = self.settings.formats[kind] else { return nil }
        return MediaFormat(section).sending(from: ours)
    }

    /// What an answer says of an offered section.
    func answeringFormat(_ section: SDPMedia) -> MediaFormat? {
        guard let kind = section.mediaKind, let ours = self.settings.formats[kind] else { return nil }
        return MediaFormat(section).answer(by: ours)
    }

    /// The sections of an offer that get an answer: one transport carries them all, so those of one bundle, or the
    /// first.
    func acceptable(_ offer: SDPDescription) -> Set<SDPMediaID?> {
        let sections = offer.media.filter { self.isAcceptable($0, in: offer) }
        let usable = sections.filter { self.transceiver(named: $0.mediaID)?.isStopped == false }
        guard let first = usable.first else { return [] }
        let bundle = offer.bundles.first { $0.contains(first.mediaID?.value ?? "") } ?? []
        return Set(usable.filter { bundle.contains($0.mediaID?.value ?? "") }.map(\.mediaID) + [first.mediaID])
    }

    /// Finds a transceiver for each section, or makes one.
    mutating func associate(_ offer: SDPDescription) {
        for section in offer.media {
            if let known = self.transceivers.firstIndex(where: { $0.mediaID == section.mediaID }) {
                if section.isRejected { self.transceivers[known].isStopped = true }
                self.mirror(known, offer.direction(of: section))
                continue
            }
            guard self.isAcceptable(section, in: offer), let kind = section.mediaKind else { continue }
            let free = self.transceivers.firstIndex {
                $0.kind == kind && $0.mediaID == nil && !$0.isStopped && $0.isForTrack
                    && offer.direction(of: section).receives
            }
            if let free {
                self.transceivers[free].mediaID = section.mediaID
            } else if self.transceivers.count < self.settings.maximumTransceivers {
                self.add(kind, .receiveOnly, isForTrack: false)
                let added = self.transceivers.count - 1
                self.transceivers[added].mediaID = section.mediaID
                self.transceivers[added].isTheirs = true
                self.mirror(added, offer.direction(of: section))
            }
        }
    }

    /// What came with their offers goes the ways they offer.
    private mutating func mirror(_ index: Int, _ offered: SDPDirection) {
        let transceiver = self.transceivers[index]
        guard transceiver.isTheirs, self.settings.mirrored.contains(transceiver.kind) else { return }
        self.transceivers[index].direction = offered.reversed
    }

    /// Our offer's new sections belong to the transceivers they were written for, in their order.
    mutating func nameSections(_ offer: SDPDescription) {
        let names = offer.media.filter { !$0.isRejected }.compactMap(\.mediaID)
        var fresh = names.filter { self.transceiver(named: $0) == nil }[...]
        for index in self.transceivers.indices
        where self.transceivers[index].mediaID == nil && !self.transceivers[index].isStopped {
            self.transceivers[index].mediaID = fresh.popFirst()
        }
        self.nextName = max(self.nextName, (names.compactMap { Int($0.value) }.max() ?? -1) + 1)
    }
}

// MARK: - Agreeing

extension Negotiation {
    /// What two descriptions come to. Nil when no section is left.
    mutating func agree(
        _ local: SDPDescription, _ remote: SDPDescription, isOfferer: Bool
    ) throws(NegotiationError) -> TransportAgreement? {
        var transport: SDPMedia?
        var isClient = false
        for (ours, theirs) in zip(local.media, remote.media) {
            guard let index = self.transceivers.firstIndex(where: { $0.mediaID == ours.mediaID }) else { continue }
            guard !ours.isRejected, !theirs.isRejected else {
                self.refused(index)
                continue
            }
            self.agree(on: index, local, ours, remote, theirs)
            guard transport == nil else { continue }
            transport = theirs
            isClient = isOfferer ? Self.isClient(afterAnswer: remote, theirs) : ours.first(SDPSetup.self) == .active
        }
        guard let transport else { return nil }
        return TransportAgreement(remote: try RemoteTransport(transport, in: remote), isClient: isClient)
    }

    private mutating func refused(_ index: Int) {
        self.transceivers[index].isStopped = true
        self.transceivers[index].currentDirection = nil
    }

    private mutating func agree(
        on index: Int, _ local: SDPDescription, _ ours: SDPMedia, _ remote: SDPDescription, _ theirs: SDPMedia
    ) {
        let (here, there) = (local.direction(of: ours), remote.direction(of: theirs))
        self.transceivers[index].currentDirection = SDPDirection(
            sends: here.sends && there.receives, receives: here.receives && there.sends)
        self.transceivers[index].receiving = self.answeringFormat(ours)
        self.transceivers[index].sending = self.sendingFormat(theirs)
        self.transceivers[index].remoteSources = Array(Set(theirs.all(SDPSource.self).map(\.ssrc)).sorted().prefix(8))
        self.transceivers[index].remoteStream = theirs.first()
    }

    private static func isClient(afterAnswer answer: SDPDescription, _ section: SDPMedia) -> Bool {
        answer.first(SDPSetup.self, for: section) == .passive
    }
}

extension SDPMedia {
    /// Nil for unknown kinds.
    fileprivate var mediaKind: MediaKind? { MediaKind(rawValue: self.kind) }
}
