package import RTP
internal import SDP

/// A codec under the number that its packets carry (`RTCRtpCodecParameters`).
package struct CodecParameters: Hashable, Sendable {
    package var payloadType: UInt8
    package var codec: Codec

    package init(_ payloadType: UInt8, _ codec: Codec) {
        self.payloadType = payloadType
        self.codec = codec
    }
}

/// What numbers stand for which codec and which extension in one direction of one section (`RTCRtpParameters`).
package struct MediaFormat: Hashable, Sendable {
    /// The preferred one first.
    package var codecs: [CodecParameters]
    package var extensions: RTPExtensionIDs
    /// Extended reports are understood (RFC 3611 §5).
    package var hasExtendedReports = true
    /// Of sound in a packet, in milliseconds.
    package var packetDuration: Int?
    package var maximumPacketDuration: Int?

    package init(_ codecs: [CodecParameters], extensions: RTPExtensionIDs) {
        self.codecs = codecs
        self.extensions = extensions
    }

    /// Opus with its helpers.
    package static func audio(_ parameters: OpusParameters = OpusParameters()) -> MediaFormat {
        var format = MediaFormat(
            [
                CodecParameters(111, .opus(parameters)), CodecParameters(63, .red),
                CodecParameters(110, .telephoneEvent),
            ],
            extensions: RTPExtensionIDs(audioLevel: 1, mediaID: 4, transportSequence: 3))
        format.packetDuration = 20
        return format
    }

    /// Pictures in these codecs, the preferred one first.
    package static func video(_ codecs: [Codec] = [.vp8, .h264]) -> MediaFormat {
        MediaFormat(
            codecs.enumerated().map { CodecParameters(UInt8(96 + $0), $1) },
            extensions: RTPExtensionIDs(mediaID: 4, transportSequence: 3))
    }

    package subscript(role: Codec.Role) -> CodecParameters? { self.codecs.first { $0.codec.role == role } }

    /// The number of a codec; nil where it is not part of the format.
    package func payloadType(of codec: Codec) -> UInt8? {
        self.codecs.first { $0.codec.isSame(as: codec) }?.payloadType
    }
}

// MARK: - What both sides have

extension MediaFormat {
    private enum Side { case ours, theirs }

    /// This format, as it was offered, limited to what ours has too. Numbers are the offer's, wishes ours.
    func answer(by ours: MediaFormat) -> MediaFormat? {
        var format = self.common(with: ours, in: .ours)
        format?.packetDuration = ours.packetDuration
        format?.maximumPacketDuration = ours.maximumPacketDuration
        return format
    }

    /// How they are sent to: in their numbers, by their wishes, and only what we know too.
    func sending(from ours: MediaFormat) -> MediaFormat? { self.common(with: ours, in: .theirs) }

    /// Nil when no codec is left that stands for itself.
    private func common(with ours: MediaFormat, in side: Side) -> MediaFormat? {
        var format = self
        format.extensions = self.extensions.limited(to: ours.extensions)
        var open = ours.codecs.map(\.codec)
        format.codecs = self.codecs.compactMap { theirs in
            guard let index = open.firstIndex(where: { $0.accepts(theirs.codec) }) else { return nil }
            let codec = open.remove(at: index)
            return CodecParameters(
                theirs.payloadType, side == .ours ? codec.answer(to: theirs.codec) : codec.saying(theirs.codec))
        }
        guard let primary = format[.primary]?.payloadType else { return nil }
        format.codecs.removeAll { $0.codec.role == .redundancy && !$0.isRedundancy(of: primary, in: self) }
        let roles: [Codec.Role] = [.primary, .redundancy, .events]
        format.codecs = roles.flatMap { role in format.codecs.filter { $0.codec.role == role } }
        return format
    }
}

extension CodecParameters {
    /// Every generation has to be the primary codec; without parameters it is what is preferred.
    fileprivate func isRedundancy(of primary: UInt8, in offer: MediaFormat) -> Bool {
        let parameters = offer.codecs.first { $0.payloadType == self.payloadType }?.codec.parameters ?? ""
        return parameters.split(separator: "/").allSatisfy { UInt8($0) == primary }
    }
}

extension Codec {
    /// An offered codec is this one.
    fileprivate func accepts(_ offered: Codec) -> Bool {
        guard self.isSame(as: offered) else { return false }
        let (ours, theirs) = (SDPFormatParameters("", self.parameters), SDPFormatParameters("", offered.parameters))
        return self.agreed.allSatisfy { name, usual in
            (ours[name].map(String.init) ?? usual) == (theirs[name].map(String.init) ?? usual)
        }
    }

    fileprivate func answer(to offered: Codec) -> Codec {
        var codec = self
        codec.feedback = self.feedback.filter(offered.feedback.contains)
        let theirs = SDPFormatParameters("", offered.parameters)
        guard !self.repeated.isEmpty else { return codec }
        let pairs = SDPFormatParameters("", self.parameters).pairs.map { pair in
            let value = self.repeated.contains(pair.name) ? theirs[pair.name] ?? pair.value : pair.value
            return "\(pair.name)=\(value)"
        }
        codec.parameters = pairs.joined(separator: ";")
        return codec
    }

    fileprivate func saying(_ theirs: Codec) -> Codec {
        var codec = self
        codec.parameters = theirs.parameters
        codec.feedback = self.feedback.filter(theirs.feedback.contains)
        return codec
    }
}

extension RTPExtensionIDs {
    fileprivate func limited(to ours: RTPExtensionIDs) -> RTPExtensionIDs {
        RTPExtensionIDs(
            audioLevel: ours.audioLevel == nil ? nil : self.audioLevel,
            mediaID: ours.mediaID == nil ? nil : self.mediaID,
            transportSequence: ours.transportSequence == nil ? nil : self.transportSequence,
            absoluteSendTime: ours.absoluteSendTime == nil ? nil : self.absoluteSendTime)
    }
}

// MARK: - From and to a section

extension MediaFormat {
    /// Everything that a section says, known or not.
    init(_ section: SDPMedia) {
        let maps = section.rtpMaps
        self.codecs = section.formats.compactMap { UInt8($0) }.compactMap { payloadType in
            guard let map = maps.first(where: { $0.payloadType == payloadType }) else { return nil }
            return CodecParameters(
                payloadType,
                Codec(
                    map.encoding, clockRate: Int(map.clockRate), channels: Int(map.channels),
                    parameters: section.parameters(of: "\(payloadType)")?.text ?? "",
                    feedback: section.feedback(for: payloadType).map(\.kind)))
        }
        self.extensions = RTPExtensionIDs(section.all(SDPHeaderExtension.self))
        self.hasExtendedReports = section.value(of: "rtcp-xr") != nil
        self.packetDuration = section.number(of: "ptime").map { min(max($0, 10), 60) }
        self.maximumPacketDuration = section.number(of: "maxptime").map { min(max($0, 10), 120) }
    }

    func writeExtensions(to section: inout SDPMedia) {
        let extensions = [
            (self.extensions.audioLevel, SDPHeaderExtension.audioLevel),
            (self.extensions.transportSequence, SDPHeaderExtension.transportSequence),
            (self.extensions.mediaID, SDPHeaderExtension.mediaID),
        ]
        for case (let id?, let uri) in extensions { section.append(SDPHeaderExtension(UInt16(id), uri)) }
    }

    func writeCodecs(to section: inout SDPMedia) {
        for entry in self.codecs { self.write(entry, to: &section) }
        if let duration = self.packetDuration { section.append(SDPLine(attribute: "ptime", "\(duration)")) }
        if let longest = self.maximumPacketDuration { section.append(SDPLine(attribute: "maxptime", "\(longest)")) }
    }

    private func write(_ entry: CodecParameters, to section: inout SDPMedia) {
        let (payloadType, codec) = (entry.payloadType, entry.codec)
        section.append(
            SDPRTPMap(
                payloadType, codec.name, clockRate: UInt32(clamping: codec.clockRate),
                channels: UInt8(clamping: codec.channels)))
        let primary = self[.primary]?.payloadType ?? payloadType
        let parameters = codec.role == .redundancy ? "\(primary)/\(primary)" : codec.parameters
        if !parameters.isEmpty { section.append(SDPFormatParameters("\(payloadType)", parameters)) }
        for kind in codec.feedback where kind != Codec.transportFeedback || self.extensions.transportSequence != nil {
            section.append(SDPFeedback(payloadType, kind))
        }
    }
}

extension RTPExtensionIDs {
    fileprivate init(_ extensions: [SDPHeaderExtension]) {
        self.init(
            audioLevel: Self.id(SDPHeaderExtension.audioLevel, extensions),
            mediaID: Self.id(SDPHeaderExtension.mediaID, extensions),
            transportSequence: Self.id(SDPHeaderExtension.transportSequence, extensions))
    }

    /// Only those of the short form: one byte of header is all we write.
    private static func id(_ uri: String, _ extensions: [SDPHeaderExtension]) -> UInt8? {
        guard let id = extensions.first(where: { $0.uri == uri })?.id, (1...14).contains(id) else { return nil }
        return UInt8(id)
    }
}

// MARK: - Numbers beside those of other sections

extension MediaFormat {
    /// The same in numbers that mean nothing else in a bundle where others have been agreed on (RFC 9143 §10.1.2), and with
    /// the numbers that its extensions have there.
    func renumbered(beside others: [MediaFormat]) -> MediaFormat {
        var format = self
        var taken = Set(others.flatMap { $0.codecs.map(\.payloadType) })
        for index in format.codecs.indices {
            if taken.contains(format.codecs[index].payloadType) {
                let own = Set(format.codecs.map(\.payloadType))
                let free = (UInt8(96)...127).first { !taken.contains($0) && !own.contains($0) }
                format.codecs[index].payloadType = free ?? format.codecs[index].payloadType
            }
            taken.insert(format.codecs[index].payloadType)
        }
        for other in others.map(\.extensions) {
            if self.extensions.mediaID != nil, let id = other.mediaID { format.extensions.mediaID = id }
            if self.extensions.transportSequence != nil, let id = other.transportSequence {
                format.extensions.transportSequence = id
            }
        }
        return format
    }
}
