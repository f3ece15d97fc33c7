package import MediaStreams
package import RTP
package import Vocabulary

/// How one stream of pictures is received.
package struct VideoReceiverSettings: Hashable, Sendable {
    package var payloadTypes: [VideoPayloadType] = []
    package var extensions = RTPExtensionIDs()
    /// The sender takes requests for single packets (`nack`).
    package var requestsMissing = true
    /// How the sender takes requests for key frames: PLI, or else FIR.
    package var usesPictureLoss = true

    package init() {}
}

/// One stream of pictures on its way in, packet by packet: what is missing is asked for again, and a key frame when single
/// packets do not help. Packets are not put in order: the next receiver does that.
///
/// It has no clock and knows no picture: the time comes with each call.
package struct VideoReceiver: ~Copyable {
    package private(set) var settings: VideoReceiverSettings
    /// Who sends; nil before anything came.
    package private(set) var ssrc: UInt32?
    private var counters = InboundStatistics()
    private var sequences = SequenceStatistics(.video)
    private var numbers = Unwrapper<UInt16>()
    private var timestamps = Unwrapper<UInt32>()
    private var missing = MissingPackets()
    private var keyFrames = KeyFrameRequests()
    private var stream: UInt64 = 0
    private var lastArrival: Instant?
    private var lastKeyFrame: UInt32?

    /// Another sender takes the place of one who was silent for so long.
    private static let silenceTimeout = Duration.milliseconds(500)
    /// A packet that is this far behind the latest is late, or came before; farther away, the stream began anew.
    private static let maximumLateness: Int64 = 1024

    package init(_ settings: VideoReceiverSettings) {
        self.settings = settings
    }

    /// The two sides have agreed on something else.
    package mutating func change(_ settings: VideoReceiverSettings) { self.settings = settings }

    package func accepts(_ payloadType: UInt8) -> Bool { self.codec(payloadType) != nil }

    private func codec(_ payloadType: UInt8) -> VideoCodec? {
        self.settings.payloadTypes.first { $0.payloadType == payloadType }?.codec
    }

    // MARK: - Packets

    /// What is to be known of a packet that is passed on; nil for one that is not.
    package mutating func received(_ packet: borrowing RTPPacket, at now: Instant) -> VideoPacketHeader? {
        guard let codec = self.codec(packet.header.payloadType), self.belongs(packet.header, at: now) else {
            self.counters.packetsRefused += 1
            return nil
        }
        let sequence = self.numbers.unwrap(packet.header.sequenceNumber)
        switch self.missing.arrived(sequence, at: now) {
        case .next: self.sequences.heard(timestamp: self.timestamps.unwrap(packet.header.timestamp), at: now)
        case .late: break
        case .useless:
            self.counters.packetsDiscarded += 1
            return nil
        }
        self.count(packet, at: now)
        let startsKeyFrame = codec.startsKeyFrame(packet.payload)
        if startsKeyFrame { self.keyFrameArrived(packet.header.timestamp) }
        if self.missing.hasGivenUp { self.requestKeyFrame(at: now) }
        return VideoPacketHeader(
            stream: self.stream, sequence: sequence, timestamp: packet.header.timestamp,
            isMarked: packet.header.isMarked, codec: codec, startsKeyFrame: startsKeyFrame)
    }

    private mutating func belongs(_ header: RTPHeader, at now: Instant) -> Bool {
        if let known = self.ssrc, known != header.ssrc {
            guard let last = self.lastArrival, last + Self.silenceTimeout <= now else { return false }
            self.sequences = SequenceStatistics(.video)
            self.restart()
        }
        self.ssrc = header.ssrc
        let ahead = self.numbers.last.map {
            header.sequenceNumber.wrappedDistance(from: UInt16(truncatingIfNeeded: $0))
        }
        // Packets that were asked for again may be so late that they would be taken for another stream.
        if let ahead, (-Self.maximumLateness...0).contains(ahead) {
            self.sequences.heardLate()
            return true
        }
        guard self.sequences.heard(header.sequenceNumber) else { return false }
        if let ahead, ahead < 0 || ahead > SequenceStatistics.maximumDropped { self.restart() }
        return true
    }

    private mutating func restart() {
        self.stream += 1
        self.numbers = Unwrapper()
        self.timestamps = Unwrapper()
        self.missing.removeAll()
        self.lastKeyFrame = nil
    }

    private mutating func count(_ packet: borrowing RTPPacket, at now: Instant) {
        self.lastArrival = now
        self.counters.bytesReceived += UInt64(packet.payloadRange.count)
        self.counters.headerBytesReceived += UInt64(packet.payloadRange.lowerBound)
        self.counters.lastPacketReceivedTimestamp = .nanoseconds(now.nanoseconds)
        if packet.header.isMarked { self.counters.framesReceived += 1 }
    }

    private mutating func keyFrameArrived(_ timestamp: UInt32) {
        self.keyFrames.keyFrameArrived()
        guard self.lastKeyFrame != timestamp else { return }
        self.lastKeyFrame = timestamp
        self.counters.keyFramesReceived += 1
    }

    // MARK: - Requests

    /// The viewer cannot show the pictures. The sender is asked when it may be asked again.
    package mutating func requestKeyFrame(at now: Instant) {
        self.missing.forgive()
        self.keyFrames.want(at: now)
    }

    /// When to come back.
    package var deadline: Instant? {
        guard self.ssrc != nil else { return nil }
        let missing = self.settings.requestsMissing ? self.missing.deadline : nil
        return [missing, self.keyFrames.deadline].compactMap(\.self).min()
    }

    /// Asks the sender for what is due, once there are reports.
    package mutating func clockAdvanced(
        to now: Instant, _ reporter: inout MediaReporter?, into outbox: inout MediaOutbox
    ) {
        guard let ssrc = self.ssrc, reporter != nil else { return }
        if self.settings.requestsMissing {
            let due = self.missing.takeDue(at: now, roundTrip: reporter?.roundTrip ?? .milliseconds(100))
            if !due.isEmpty {
                reporter?.request(due, of: ssrc, at: now, into: &outbox)
                self.counters.nackCount += 1
            }
            if self.missing.hasGivenUp { self.requestKeyFrame(at: now) }
        }
        guard self.keyFrames.takeDue(at: now) else { return }
        if self.settings.usesPictureLoss {
            reporter?.request(.pictureLoss, of: ssrc, at: now, into: &outbox)
            self.counters.pliCount += 1
        } else {
            reporter?.request(.fullIntra(number: self.keyFrames.number), of: ssrc, at: now, into: &outbox)
            self.counters.firCount += 1
        }
    }

    // MARK: - Reports

    package var statistics: InboundStatistics {
        var statistics = self.counters
        statistics.packetsReceived = self.sequences.received
        statistics.packetsLost = self.sequences.lost
        statistics.jitter = MediaClock.video.duration(of: Int64(self.sequences.jitter))
        return statistics
    }

    /// What there is to report since the last time; nil before anything came.
    package mutating func takeReport() -> RTCPReport? { self.ssrc.flatMap { self.sequences.takeReport(about: $0) } }
}
