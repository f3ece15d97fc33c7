internal import SDP

// Offers (RFC 9429 §5.2) and answers (§5.3), section by section.

extension Negotiation {
    func makeOffer(_ origin: SDPOrigin, _ transport: LocalTransport) -> SDPDescription {
        var offer = SDPDescription(origin: origin)
        var unnamed = self.transceivers.filter { $0.mediaID == nil && !$0.isStopped }[...]
        var number = self.nextName
        for old in self.localDescription?.media ?? [] {
            if let transceiver = self.transceiver(named: old.mediaID), !transceiver.isStopped {
                offer.media.append(self.section(for: transceiver, old.mediaID, nil, .either, transport))
            } else if self.isFree(old), let transceiver = unnamed.popFirst() {
                offer.media.append(self.section(for: transceiver, Self.name(&number, self), nil, .either, transport))
            } else {
                offer.media.append(Self.refusal(of: old))
            }
        }
        for transceiver in unnamed where offer.media.count < self.settings.maximumSections {
            offer.media.append(self.section(for: transceiver, Self.name(&number, self), nil, .either, transport))
        }
        self.bundle(offer.media.filter { !$0.isRejected }, in: &offer)
        return Self.finished(offer, transport)
    }

    func makeAnswer(to offer: SDPDescription, _ origin: SDPOrigin, _ transport: LocalTransport) -> SDPDescription {
        var answer = SDPDescription(origin: origin)
        let accepted = self.acceptable(offer)
        for section in offer.media {
            guard accepted.contains(section.mediaID), let format = self.answeringFormat(section),
                let transceiver = self.transceiver(named: section.mediaID)
            else {
                answer.media.append(Self.refusal(of: section))
                continue
            }
            let theirs = offer.direction(of: section)
            let direction = SDPDirection(
                sends: transceiver.direction.sends && theirs.receives,
                receives: transceiver.direction.receives && theirs.sends)
            answer.media.append(
                self.section(
                    for: transceiver, section.mediaID, (format, direction),
                    self.setup(answering: offer, section), transport))
        }
        if !offer.bundles.isEmpty { self.bundle(answer.media.filter { !$0.isRejected }, in: &answer) }
        return Self.finished(answer, transport)
    }

    /// It is not used any more, on either side, so another stream may have its place (RFC 9429 §5.2.2).
    private func isFree(_ section: SDPMedia) -> Bool {
        guard section.isRejected, let name = section.mediaID, let remote = self.currentRemote else { return false }
        return remote.index(of: name).map { remote.media[$0].isRejected } ?? true
    }

    private func bundle(_ sections: [SDPMedia], in description: inout SDPDescription) {
        let names = sections.compactMap { $0.mediaID?.value }
        if !names.isEmpty { description.append(SDPGroup("BUNDLE", names)) }
    }

    /// Who begins with DTLS stays the same for as long as the association does (RFC 8842 §5.5).
    private func setup(answering offer: SDPDescription, _ section: SDPMedia) -> SDPSetup {
        switch offer.first(SDPSetup.self, for: section) ?? .either {
        case .active: .passive
        case .passive: .active
        case .either, .hold: self.agreement.map { $0.isClient ? .active : .passive } ?? .active
        }
    }

    private static func name(_ number: inout Int, _ negotiation: Negotiation) -> SDPMediaID? {
        while true {
            defer { number += 1 }
            let name = SDPMediaID("\(number)")
            if negotiation.transceiver(named: name) == nil { return name }
        }
    }

    private static func finished(_ description: SDPDescription, _ transport: LocalTransport) -> SDPDescription {
        var description = description
        description.append(SDPFlag.extmapAllowMixed)
        description.append(SDPLine(attribute: "msid-semantic", " WMS *"))
        // What belongs to the transport of all is said once.
        guard let first = description.media.firstIndex(where: { !$0.isRejected }) else { return description }
        for candidate in transport.candidates { description.media[first].append(candidate: candidate) }
        if transport.hasAllCandidates { description.media[first].append(.endOfCandidates) }
        return description
    }
}

// MARK: - One section

extension Negotiation {
    private func section(
        for transceiver: Transceiver, _ name: SDPMediaID?, _ agreed: (format: MediaFormat, direction: SDPDirection)?,
        _ setup: SDPSetup, _ transport: LocalTransport
    ) -> SDPMedia {
        // Numbers that were agreed on before go on to mean the same.
        let format = agreed?.format ?? transceiver.receiving ?? self.freshFormat(transceiver.kind)
        var section = SDPMedia(transceiver.kind.rawValue, formats: format.codecs.map { "\($0.payloadType)" })
        Self.write(transport, setup, to: &section)
        if let name { section.append(name) }
        format.writeExtensions(to: &section)
        section.direction = agreed?.direction ?? transceiver.direction
        if section.direction?.sends == true {
            section.append(SDPStreamID(transceiver.streamID, track: transceiver.trackID))
        }
        section.append(.rtcpMux)
        section.append(.rtcpReducedSize)
        if format.hasExtendedReports { section.append(SDPLine(attribute: "rtcp-xr", "rcvr-rtt=all")) }
        format.writeCodecs(to: &section)
        section.append(SDPSource(transceiver.ssrc, "cname", self.settings.canonicalName))
        return section
    }

    private static func write(_ transport: LocalTransport, _ setup: SDPSetup, to section: inout SDPMedia) {
        section.append(SDPLine(attribute: "rtcp", "9 IN IP4 0.0.0.0"))
        section.append(SDPLine(attribute: SDPUsernameFragment.name, transport.usernameFragment))
        section.append(SDPLine(attribute: SDPPassword.name, transport.password))
        section.append(SDPLine(attribute: "ice-options", transport.iceOptions))
        section.append(SDPLine(attribute: SDPFingerprint.name, "sha-256 \(transport.fingerprint)"))
        section.append(setup)
    }

    /// For a section that is offered for the first time.
    private func freshFormat(_ kind: MediaKind) -> MediaFormat {
        let agreed = self.transceivers.filter { $0.receiving != nil && !$0.isStopped }
        if let same = agreed.first(where: { $0.kind == kind })?.receiving { return same }
        return (self.settings.formats[kind] ?? .audio()).renumbered(beside: agreed.compactMap(\.receiving))
    }

    /// Port 0, and otherwise what was there, so that both sides go on counting alike.
    private static func refusal(of section: SDPMedia) -> SDPMedia {
        var refusal = SDPMedia(section.kind, port: 0, transport: section.transport, formats: section.formats)
        if let name = section.mediaID { refusal.append(name) }
        refusal.direction = .inactive
        return refusal
    }
}
