internal import Bytes
internal import MediaStreams
internal import Negotiating
internal import RTP
internal import SDP
internal import VideoStreams
internal import Vocabulary

/// Pictures over one transceiver, as they come: back to who sent them, or lent to be sent on.
final class VideoLine: MediaLine {
    var place: LinePlace
    private let settings: VideoSettings
    private var sender: VideoSender?
    private var receiver: VideoReceiver?
    /// What came and is still to be lent.
    private var lent: [VideoPacket] = []
    /// Memory of packets that were given back.
    private var spare: [[UInt8]] = []

    /// Some pictures' worth: their reader comes soon.
    private static let maximumLent = 512
    private static let maximumSpare = 64

    init(_ transceiver: Transceiver, _ settings: VideoSettings) {
        self.place = LinePlace(transceiver)
        self.settings = settings
    }

    func open(_ transceiver: Transceiver, random: inout any RandomNumberGenerator & Sendable) {
        if transceiver.sends, let format = transceiver.sending {
            let settings = VideoSenderSettings(transceiver, format, random: &random)
            if self.sender == nil { self.sender = VideoSender(settings) } else { self.sender?.change(settings) }
        }
        if !transceiver.sends { self.sender?.pause() }
        if transceiver.receives, let format = transceiver.receiving, let theirs = transceiver.sending {
            let settings = VideoReceiverSettings(format, theirs)
            if self.receiver == nil { self.receiver = VideoReceiver(settings) } else { self.receiver?.change(settings) }
        }
    }

    func accepts(_ payloadType: UInt8) -> Bool { self.receiver?.accepts(payloadType) == true }

    func findDeadline() -> Instant? { self.receiver?.deadline }

    // MARK: - Packets

    func received(_ packet: borrowing RTPPacket, at now: Instant, _ work: inout LineWork) {
        if let header = self.receiver?.received(packet, at: now) {
            if self.settings.echoes, self.place.sends { self.forward(header, packet.payload, at: now, &work) }
            if self.settings.lendsPackets { self.lend(header, packet.payload, &work) }
        }
        self.clockAdvanced(to: now, &work)
    }

    /// A packet of this line or of another call's. Nothing leaves before a key frame has come, which is asked for.
    func forward(_ header: VideoPacketHeader, _ payload: Span<UInt8>, at now: Instant, _ work: inout LineWork) {
        guard self.place.sends, self.sender?.forward(header, payload, at: now, into: &work.outbox) == false else {
            return
        }
        if self.sender?.needsKeyFrame == true { self.wantKeyFrame(at: now, &work) }
    }

    private func lend(_ header: VideoPacketHeader, _ payload: Span<UInt8>, _ work: inout LineWork) {
        guard self.lent.count < Self.maximumLent else { return }
        if self.lent.isEmpty { work.events.append(.picturesWaiting(transceiver: self.place.transceiver)) }
        var bytes = self.spare.popLast() ?? []
        bytes.append(copying: payload)
        self.lent.append(VideoPacket(header: header, payload: bytes))
    }

    /// All that waits, in the order of its arrival. Give it back with `recycle`, for its memory.
    func takeLent() -> [VideoPacket] {
        defer { self.lent.removeAll(keepingCapacity: true) }
        return self.lent
    }

    func recycle(_ packet: consuming VideoPacket) {
        guard self.spare.count < Self.maximumSpare else { return }
        var bytes = packet.payload
        bytes.removeAll(keepingCapacity: true)
        self.spare.append(bytes)
    }

    // MARK: - Requests

    /// Theirs is to begin anew with a picture that needs no other.
    func requestKeyFrame(at now: Instant, _ work: inout LineWork) {
        self.receiver?.requestKeyFrame(at: now)
        self.clockAdvanced(to: now, &work)
    }

    /// What we send cannot be shown: their source is asked, on this line or, by our owner, on another.
    private func wantKeyFrame(at now: Instant, _ work: inout LineWork) {
        if self.settings.echoes {
            self.requestKeyFrame(at: now, &work)
        } else {
            work.events.append(.keyFrameWanted(transceiver: self.place.transceiver))
        }
    }

    func clockAdvanced(to now: Instant, _ work: inout LineWork) {
        guard self.place.receives else { return }
        self.receiver?.clockAdvanced(to: now, &work.reporter, into: &work.outbox)
    }

    func received(_ event: MediaReporterEvent, at now: Instant, _ work: inout LineWork) {
        switch event {
        case .report(let report): self.sender?.received(report: report)
        case .missing(let missing, _):
            let roundTrip = work.reporter?.roundTrip
            self.sender?.received(missing: missing, roundTrip: roundTrip, at: now, into: &work.outbox)
        case .keyFrameRequest(let request, _):
            self.sender?.received(keyFrameRequest: request)
            self.wantKeyFrame(at: now, &work)
        case .feedback, .quality, .goodbye: break
        }
    }

    func keep(_ packet: Span<UInt8>, at now: Instant) { self.sender?.keep(packet, at: now) }

    // MARK: - Reports

    func report(into report: inout MediaReport, roundTrip: Duration?, at now: Instant) {
        if let reception = self.receiver?.takeReport() { report.receptions.append(reception) }
        if self.place.sends, let own = self.sender?.senderReport(at: now) { report.senders.append(own) }
    }

    var statistics: CallStatistics.Line {
        CallStatistics.Line(
            transceiver: self.place.transceiver, kind: .video, outbound: self.sender?.statistics,
            inbound: self.receiver?.statistics, delay: nil)
    }
}

// MARK: - What was agreed on

extension VideoSenderSettings {
    fileprivate init(
        _ transceiver: Transceiver, _ format: MediaFormat, random: inout any RandomNumberGenerator & Sendable
    ) {
        self.init(ssrc: transceiver.ssrc)
        self.mid = transceiver.mediaID?.value
        self.payloadTypes = VideoPayloadType.all(in: format)
        self.extensions = format.extensions
        self.firstSequence = UInt16(truncatingIfNeeded: random.next()) & 0x7FFF
        self.firstTimestamp = UInt32(truncatingIfNeeded: random.next())
        self.keepsPackets = format[.primary]?.codec.feedback.contains("nack") == true
    }
}

extension VideoReceiverSettings {
    /// - Parameter theirs: what their sender takes.
    fileprivate init(_ format: MediaFormat, _ theirs: MediaFormat) {
        self.init()
        self.payloadTypes = VideoPayloadType.all(in: format)
        self.extensions = format.extensions
        let feedback = theirs[.primary]?.codec.feedback ?? []
        self.requestsMissing = feedback.contains("nack")
        self.usesPictureLoss = feedback.contains("nack pli") || !feedback.contains("ccm fir")
    }
}

extension VideoPayloadType {
    fileprivate static func all(in format: MediaFormat) -> [VideoPayloadType] {
        format.codecs.compactMap { entry in
            VideoCodec(entry.codec).map { VideoPayloadType(entry.payloadType, $0) }
        }
    }
}

extension VideoCodec {
    fileprivate init?(_ codec: Codec) {
        if codec.isSame(as: .vp8) {
            self = .vp8
        } else if codec.isSame(as: .h264) {
            self = .h264
        } else {
            return nil
        }
    }
}
