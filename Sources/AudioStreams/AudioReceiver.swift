internal import AudioFiles
package import MediaStreams
internal import Playout
package import RTP
package import Vocabulary

/// One stream of sound on its way in: packets of RTP in, sound, packets of Opus in their order, and keys out.
///
/// It has no clock: the time comes with each call. Whatever comes in, the worst it does is to sound bad.
package struct AudioReceiver: ~Copyable {
    package private(set) var settings: AudioReceiverSettings
    /// Who sends; nil before anything was heard.
    package private(set) var ssrc: UInt32?
    private var counters = InboundStatistics()
    private var sequences = SequenceStatistics(.opus)
    private var timestamps = TimestampUnwrapper()
    private var buffer: JitterBuffer<OpusSoundDecoder>
    private var payloads: PayloadReorderBuffer
    private var keys: KeyListener
    private var events: [AudioEvent] = []
    /// What the other side said last of how loud it is.
    package private(set) var remoteLevel: RTPAudioLevel?
    private var lastHeard: Instant?

    /// Another sender takes the place of one who was silent for so long.
    private static let silenceTimeout = Duration.milliseconds(500)
    /// More than can be pressed between two readings.
    private static let maximumEvents = 64

    package init(_ settings: AudioReceiverSettings) {
        self.settings = settings
        self.buffer = Self.buffer(settings)
        self.payloads = PayloadReorderBuffer(timeout: settings.lendingTimeout)
        self.keys = KeyListener(rate: settings.payloadTypes.telephoneEventRate)
    }

    private static func buffer(_ settings: AudioReceiverSettings) -> JitterBuffer<OpusSoundDecoder> {
        var shape = JitterBuffer<OpusSoundDecoder>.Settings()
        shape.rate = MediaClock.opus.rate
        shape.channels = settings.channels
        return JitterBuffer(OpusSoundDecoder(channels: settings.channels), settings: shape)
    }

    /// The two sides have agreed on something else. What is heard goes on, unless it has more channels or fewer now.
    package mutating func change(_ settings: AudioReceiverSettings) {
        if settings.channels != self.settings.channels { self.buffer = Self.buffer(settings) }
        if settings.payloadTypes.telephoneEventRate != self.settings.payloadTypes.telephoneEventRate {
            self.keys = KeyListener(rate: settings.payloadTypes.telephoneEventRate)
        }
        self.settings = settings
    }

    /// What happened since the last time, one by one.
    package mutating func nextEvent() -> AudioEvent? {
        self.events.isEmpty ? nil : self.events.removeFirst()
    }

    private mutating func tell(_ event: AudioEvent) {
        guard self.events.count < Self.maximumEvents else { return }
        if case .key = event { self.counters.keysReceived += 1 }
        self.events.append(event)
    }
}

// MARK: - Packets

extension AudioReceiver {
    package mutating func received(_ packet: borrowing RTPPacket, at now: Instant) {
        guard self.belongs(packet.header, at: now) else {
            self.counters.packetsRefused += 1
            return
        }
        self.lastHeard = now
        self.counters.bytesReceived += UInt64(packet.payloadRange.count)
        self.counters.headerBytesReceived += UInt64(packet.payloadRange.lowerBound)
        self.counters.lastPacketReceivedTimestamp = .nanoseconds(now.nanoseconds)
        if let id = self.settings.extensions.audioLevel, let level = packet.audioLevel(id) { self.remoteLevel = level }
        switch packet.header.payloadType {
        case self.settings.payloadTypes.opus: self.receivedOpus(packet, at: now)
        case self.settings.payloadTypes.red: self.receivedRED(packet, at: now)
        case self.settings.payloadTypes.telephoneEvent: self.receivedKey(packet, at: now)
        // Empty packets keep gateways open.
        default: if !packet.payloadRange.isEmpty { self.counters.packetsRefused += 1 }
        }
    }

    private mutating func belongs(_ header: RTPHeader, at now: Instant) -> Bool {
        if let known = self.ssrc, known != header.ssrc {
            guard let last = self.lastHeard, last + Self.silenceTimeout <= now else { return false }
            self.reset()
        }
        self.ssrc = header.ssrc
        return self.sequences.heard(header.sequenceNumber)
    }

    private mutating func reset() {
        self.sequences = SequenceStatistics(.opus)
        self.timestamps = TimestampUnwrapper()
        self.payloads.removeAll()
        self.buffer.reset()
        self.keys = KeyListener(rate: self.settings.payloadTypes.telephoneEventRate)
        self.tell(.restarted)
    }

    private mutating func receivedOpus(_ packet: borrowing RTPPacket, at now: Instant) {
        self.note(packet.header, at: now)
        self.take(packet.payload, timestamp: packet.header.timestamp, isCopy: false, at: now)
    }

    private mutating func receivedRED(_ packet: borrowing RTPPacket, at now: Instant) {
        guard var blocks = try? REDPayload(parsing: packet.payload) else {
            self.counters.packetsRefused += 1
            return
        }
        self.note(packet.header, at: now)
        let payload = packet.payload
        while let block = blocks.next() {
            guard block.payloadType == self.settings.payloadTypes.opus, !block.range.isEmpty else { continue }
            if !block.isPrimary { self.counters.fecPacketsReceived += 1 }
            self.take(
                payload.extracting(block.range), timestamp: packet.header.timestamp &- UInt32(block.timestampOffset),
                isCopy: !block.isPrimary, at: now)
        }
    }

    private mutating func note(_ header: RTPHeader, at now: Instant) {
        let position = self.timestamps.place(header.timestamp)
        self.sequences.heard(timestamp: position, at: now)
    }

    private mutating func take(_ opus: Span<UInt8>, timestamp: UInt32, isCopy: Bool, at now: Instant) {
        guard let duration = OpusPacket.duration(of: opus) else {
            self.counters.packetsRefused += 1
            return
        }
        if self.settings.isPlayed {
            self.buffer.insert(opus, timestamp: timestamp, duration: duration, isRedundant: isCopy, at: now)
        }
        guard self.settings.lendsPayloads, let start = self.timestamps.peek(timestamp) else { return }
        self.payloads.insert(opus, start: start, duration: duration, isCopy: isCopy, at: now)
    }

    private mutating func receivedKey(_ packet: borrowing RTPPacket, at now: Instant) {
        guard let event = try? TelephoneEvent(parsing: packet.payload) else {
            self.counters.packetsRefused += 1
            return
        }
        var pressed: [AudioEvent] = []
        self.keys.heard(event, timestamp: packet.header.timestamp, at: now) { pressed.append($0) }
        for event in pressed { self.tell(event) }
    }
}

// MARK: - What comes out

extension AudioReceiver {
    /// Fills `output` with the sound that comes next, mostly ten milliseconds: its length is the pace.
    package mutating func pull(into output: inout MutableSpan<Float>, at now: Instant) {
        self.clockAdvanced(to: now)
        self.buffer.pull(into: &output, at: now)
        let level = SoundLevel(output.span)
        let duration = MediaClock.opus.duration(of: Int64(output.count / self.settings.channels))
        self.counters.audioLevel = level.amplitude
        self.counters.totalAudioEnergy += level.power * (duration / .seconds(1))
        self.counters.totalSamplesDuration += duration
    }

    /// For keys whose end got lost; `pull` does it too.
    package mutating func clockAdvanced(to now: Instant) {
        var pressed: AudioEvent?
        self.keys.clockAdvanced(to: now) { pressed = $0 }
        if let pressed { self.tell(pressed) }
    }

    /// The next packet of Opus in its order, if it is time for it. Give it back with `recycle`, for its memory.
    package mutating func nextPayload(at now: Instant) -> AudioPayload? { self.payloads.take(at: now) }

    package mutating func recycle(_ payload: consuming AudioPayload) {
        self.payloads.recycle(payload.bytes)
    }

    /// When there may be a packet to lend, if none comes before: see `AudioSender.findDeadline`.
    package mutating func findPayloadDeadline() -> Instant? { self.payloads.deadline }

    /// How long the sound of now waits before it is heard, and how long it should.
    package var delay: Duration { self.buffer.delay }
    package var targetDelay: Duration { self.buffer.targetDelay }

    package var statistics: InboundStatistics {
        var statistics = self.counters
        let played = self.buffer.statistics
        statistics.packetsReceived = self.sequences.received
        statistics.packetsLost = self.sequences.lost
        statistics.jitter = MediaClock.opus.duration(of: Int64(self.sequences.jitter))
        statistics.packetsDiscarded = played.packetsDiscarded
        statistics.fecPacketsDiscarded =
            self.settings.isPlayed ? statistics.fecPacketsReceived - played.redundantPacketsUsed : 0
        statistics.totalSamplesReceived = played.emittedSamples
        statistics.concealedSamples = played.concealedSamples
        statistics.silentConcealedSamples = played.silentConcealedSamples
        statistics.concealmentEvents = played.concealmentEvents
        statistics.insertedSamplesForDeceleration = played.insertedSamplesForDeceleration
        statistics.removedSamplesForAcceleration = played.removedSamplesForAcceleration
        statistics.recoveredSamples = played.recoveredSamples
        statistics.jitterBufferDelay = played.bufferDelay
        statistics.jitterBufferTargetDelay = played.bufferTargetDelay
        statistics.jitterBufferEmittedCount = played.decodedSamples
        return statistics
    }

    /// How much of what was played was concealed though there was speech.
    private var concealedShare: Double {
        let played = self.buffer.statistics
        let spoken = Double(played.emittedSamples - min(played.silentConcealedSamples, played.emittedSamples))
        let concealed = played.concealedSamples - played.silentConcealedSamples
        return spoken > 0 ? min(1, Double(concealed) / spoken) : 0
    }

    /// How the call sounds to the listener here.
    ///
    /// - Parameter roundTrip: of the way, when it is known.
    package func grade(roundTrip: Duration?) -> CallGrade {
        CallGrade(concealedShare: self.concealedShare, mouthToEar: (roundTrip ?? .zero) / 2 + self.delay + Self.packing)
    }

    /// What filling a packet and the encoder's look ahead take.
    private static let packing = Duration.milliseconds(27)

    /// The same, as reports have it (RFC 3611 §4.7); nil before anything came.
    package func quality(roundTrip: Duration?) -> RTCPCallQuality? {
        guard let ssrc = self.ssrc, self.sequences.expected > 0 else { return nil }
        let expected = Double(self.sequences.expected)
        let (burstDensity, gapDensity, burstLength, gapLength) = self.sequences.bursts.result
        let grade = self.grade(roundTrip: roundTrip)
        let milliseconds = { (duration: Duration) in UInt16(clamping: duration.clampedMilliseconds) }
        var quality = RTCPCallQuality(ssrc: ssrc)
        quality.lossRate = UInt8(clamping: Int(256 * Double(max(0, self.sequences.lost)) / expected))
        quality.discardRate = UInt8(clamping: Int(256 * Double(self.buffer.statistics.packetsDiscarded) / expected))
        quality.burstDensity = burstDensity
        quality.gapDensity = gapDensity
        quality.burstDuration = milliseconds(.milliseconds(20) * burstLength)
        quality.gapDuration = milliseconds(.milliseconds(20) * gapLength)
        quality.roundTrip = milliseconds(roundTrip ?? .zero)
        quality.endSystemDelay = milliseconds(self.delay + Self.packing)
        quality.rating = UInt8(grade.rating)
        quality.listeningGrade = UInt8(grade.opinion * 10)
        quality.talkingGrade = quality.listeningGrade
        quality.bufferNominal = milliseconds(self.targetDelay)
        quality.bufferMaximum = milliseconds(self.delay)
        quality.bufferLimit = 1000
        return quality
    }

    /// What there is to report since the last time; nil before anything came.
    package mutating func takeReport() -> RTCPReport? {
        self.ssrc.flatMap { self.sequences.takeReport(about: $0) }
    }
}
