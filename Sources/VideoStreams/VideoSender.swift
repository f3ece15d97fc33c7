internal import Bytes
package import MediaStreams
package import RTP
package import Vocabulary

/// How one stream of pictures is sent.
package struct VideoSenderSettings: Hashable, Sendable {
    package var ssrc: UInt32
    /// What the stream's section of the session is called; said with each packet until the other side has answered.
    package var mid: String?
    package var payloadTypes: [VideoPayloadType] = []
    package var extensions = RTPExtensionIDs()
    /// Where numbers begin. Random ones are made by the owner (RFC 3550 §5.1).
    package var firstSequence: UInt16 = 0
    package var firstTimestamp: UInt32 = 0
    /// The other side asks for packets again (`nack`).
    package var keepsPackets = true

    package init(ssrc: UInt32) {
        self.ssrc = ssrc
    }
}

/// One stream of pictures on its way out: packets of another stream go on under the numbers of this one, from a key frame on.
/// Gaps stay gaps, and what comes late goes out late, so that the receiver's requests are for the same packets.
package struct VideoSender: ~Copyable {
    package private(set) var settings: VideoSenderSettings
    package private(set) var statistics = OutboundStatistics()
    private var sent = RetransmissionBuffer()
    private var source: Source?
    /// The last number and stamp, and when that was.
    private var last: (sequence: Int64, timestamp: UInt32, at: Instant)?
    /// The peer answered, so the stream's name is known over there.
    private var isKnown = false
    private var lastKeyFrame: UInt32?

    /// Whose packets go on, and how far their numbers are from ours.
    private struct Source {
        let stream: UInt64
        let first: Int64
        let sequenceOffset: Int64
        let timestampOffset: UInt32
    }

    package init(_ settings: VideoSenderSettings) {
        self.settings = settings
    }

    /// The two sides have agreed on something else; the stream goes on under its numbers.
    package mutating func change(_ settings: VideoSenderSettings) {
        precondition(settings.ssrc == self.settings.ssrc, "source \(self.settings.ssrc) cannot become \(settings.ssrc)")
        self.settings = settings
    }

    /// Nothing can be shown over there before a key frame comes.
    package var needsKeyFrame: Bool { self.source == nil }

    /// What comes next does not follow what went before.
    package mutating func pause() { self.source = nil }

    // MARK: - Packets

    /// Sends a packet of another stream on. False when it is of no use: in a codec that is not spoken over there, or of a
    /// picture that needs one which was never sent.
    @discardableResult
    package mutating func forward(
        _ header: VideoPacketHeader, _ payload: Span<UInt8>, at now: Instant, into outbox: inout MediaOutbox
    ) -> Bool {
        let known = self.settings.payloadTypes.first { $0.codec == header.codec }?.payloadType
        guard let payloadType = known, let source = self.source(for: header, at: now), header.sequence >= source.first
        else { return false }
        let sequence = header.sequence &+ source.sequenceOffset
        let timestamp = header.timestamp &+ source.timestampOffset
        if sequence > self.last?.sequence ?? .min { self.last = (sequence, timestamp, now) }
        let rtp = RTPHeader(
            payloadType: payloadType, sequenceNumber: UInt16(truncatingIfNeeded: sequence), timestamp: timestamp,
            ssrc: self.settings.ssrc, isMarked: header.isMarked)
        self.send(rtp, payload, at: now, into: &outbox)
        if header.isMarked { self.statistics.framesSent += 1 }
        if header.startsKeyFrame, self.lastKeyFrame != timestamp {
            self.lastKeyFrame = timestamp
            self.statistics.keyFramesSent += 1
        }
        return true
    }

    /// The stream that goes on, or another one that takes its place with a key frame.
    private mutating func source(for header: VideoPacketHeader, at now: Instant) -> Source? {
        if let source = self.source, source.stream == header.stream { return source }
        guard header.startsKeyFrame else { return nil }
        let next = self.last.map { $0.sequence + 1 } ?? Int64(self.settings.firstSequence)
        let timestamp = self.last.map {
            $0.timestamp &+ UInt32(truncatingIfNeeded: max(1, MediaClock.video.ticks(in: $0.at.duration(to: now))))
        }
        let source = Source(
            stream: header.stream, first: header.sequence, sequenceOffset: next &- header.sequence,
            timestampOffset: (timestamp ?? self.settings.firstTimestamp) &- header.timestamp)
        self.source = source
        return source
    }

    private mutating func send(
        _ header: RTPHeader, _ payload: Span<UInt8>, at now: Instant, into outbox: inout MediaOutbox
    ) {
        let settings = self.settings
        let mid = self.isKnown ? nil : settings.mid
        var headerCount = 0
        outbox.append(
            .rtp, isCounted: settings.extensions.transportSequence != nil, isKept: settings.keepsPackets
        ) { writer, transportSequence in
            let start = writer.count
            header.write(hasExtensions: !settings.extensions.isEmpty, to: &writer)
            settings.extensions.write(transportSequence: transportSequence, mediaID: mid, at: now, to: &writer)
            headerCount = writer.count - start
            writer.write(payload)
        }
        self.statistics.packetsSent += 1
        self.statistics.headerBytesSent += UInt64(headerCount)
        self.statistics.bytesSent += UInt64(payload.count)
    }

    /// A packet of the stream as it has left, made secret.
    package mutating func keep(_ packet: Span<UInt8>, at now: Instant) {
        guard packet.count >= RTPHeader.length else { return }
        self.sent.keep(packet, sequence: UInt16(packet[2]) << 8 | UInt16(packet[3]), at: now)
    }

    // MARK: - What the other side says

    /// Packets did not arrive: those that are still there leave again as they were.
    package mutating func received(
        missing: [UInt16], roundTrip: Duration?, at now: Instant, into outbox: inout MediaOutbox
    ) {
        self.statistics.nackCount += 1
        for sequence in missing {
            var count = 0
            let isThere = self.sent.take(sequence, roundTrip: roundTrip ?? .zero, at: now) { bytes in
                count = bytes.count
                outbox.append(.srtp) { writer, _ in writer.write(contentsOf: bytes) }
            }
            guard isThere else { continue }
            self.statistics.retransmittedPacketsSent += 1
            self.statistics.retransmittedBytesSent += UInt64(count)
        }
    }

    /// The receiver wants a key frame; their source is asked for it.
    package mutating func received(keyFrameRequest request: RTCPKeyFrameRequest) {
        switch request {
        case .pictureLoss: self.statistics.pliCount += 1
        case .fullIntra: self.statistics.firCount += 1
        }
    }

    /// The other side has told what of this stream it received.
    package mutating func received(report: RemoteReport) {
        guard report.ssrc == self.settings.ssrc else { return }
        self.isKnown = true
        self.statistics.received(report, .video)
    }

    /// What a report says of the stream; nil before anything was sent.
    package func senderReport(at now: Instant) -> MediaReport.Sender? {
        guard let last = self.last else { return nil }
        let since = MediaClock.video.ticks(in: last.at.duration(to: now))
        return MediaReport.Sender(
            ssrc: self.settings.ssrc,
            info: RTCPSenderInfo(
                time: NTPTime(rawValue: 0), timestamp: last.timestamp &+ UInt32(truncatingIfNeeded: since),
                packets: UInt32(truncatingIfNeeded: self.statistics.packetsSent),
                octets: UInt32(truncatingIfNeeded: self.statistics.bytesSent)))
    }
}
