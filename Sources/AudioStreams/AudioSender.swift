internal import Bytes
package import MediaStreams
internal import OpusCodec
package import RTP
package import Vocabulary

/// One stream of sound on its way out: any amount of sound, packets of Opus or keys of a telephone in, packets of RTP out,
/// with as much redundancy and as many bits as the way bears.
///
/// It has no clock and asks for none: its owner passes the time in, and comes back at `deadline`.
package struct AudioSender: ~Copyable {
    package private(set) var settings: AudioSenderSettings
    package private(set) var statistics = OutboundStatistics()
    /// Made when there is sound to encode: a stream that is only passed on needs none.
    private var encoder: OpusEncoder?
    private var encoderSettings = OpusEncoder.Settings()
    private var loss = LossWatch()
    private var estimate: TransportEstimate?
    /// When packets last gathered on the way.
    private var lastCongestion: Instant?
    /// The peer answered, so the stream's name is known over there.
    private var isKnown = false
    private var packetsAtLastReport: UInt64 = 0
    private var keys: TelephoneKeySequence
    private var recent = RecentPayloads()
    private var frame: [Float] = []
    private var packet: [UInt8] = []
    private var nextSequence: UInt16
    private var composed = ByteWriter()
    /// Where the next packet's sound begins, in samples since the first.
    private var position: Int64 = 0
    /// When sound came last, for whose clock only differences count: it may be quicker or slower than ours.
    private var lastSound: Instant?
    private var keyTimestamp: UInt32 = 0
    /// The last packet and when it left, as reports have it.
    private var last: (timestamp: UInt32, at: Instant)?
    /// Nothing was sent for a while, and the next packet says so.
    private var isAfterPause = true
    /// The encoder found silence, which is sent once.
    private var isSilent = false
    /// The stream is younger than a second, too young for anybody to know what gets lost.
    private var isNew = true

    /// What was spoken may come late by so much before it is taken for a pause.
    private static let pauseTimeout = Duration.milliseconds(200)

    package init(_ settings: AudioSenderSettings) {
        self.settings = settings
        self.nextSequence = settings.firstSequence
        self.keys = TelephoneKeySequence(rate: settings.payloadTypes.telephoneEventRate)
        self.encoderSettings.bitRate = settings.initialBitRate
        // `voip` would filter the lowest tones away. Microphones and calls have 16 bits; below them is only noise, which
        // is not worth a bit.
        self.encoderSettings.application = .audio
        self.encoderSettings.depth = 16
        self.statistics.redundancy = settings.payloadTypes.red == nil ? 0 : self.wantedRedundancy
        self.prepareEncoder()
    }

    /// The two sides have agreed on something else; the stream goes on under its numbers. Its source stays the same, since
    /// another source is another stream.
    package mutating func change(_ settings: AudioSenderSettings) {
        precondition(settings.ssrc == self.settings.ssrc, "source \(self.settings.ssrc) cannot become \(settings.ssrc)")
        // What is left of a frame fits into no other shape.
        if settings.frameDuration != self.settings.frameDuration || settings.channels != self.settings.channels {
            self.frame.removeAll(keepingCapacity: true)
        }
        if settings.channels != self.settings.channels { self.encoder = nil }
        if settings.payloadTypes != self.settings.payloadTypes { self.recent.removeAll() }
        self.settings = settings
        self.prepareEncoder()
    }

    private mutating func prepareEncoder() {
        self.encoderSettings.bitRate = min(
            max(self.encoderSettings.bitRate, self.settings.minimumBitRate), self.settings.maximumBitRate)
        self.encoderSettings.complexity = self.settings.complexity
        self.encoderSettings.usesDTX = self.settings.usesDTX
        self.encoderSettings.isSpeech = self.settings.isSpeech
        self.applyEncoderSettings()
    }

    /// libopus refuses only what no settings can ask for.
    private mutating func applyEncoderSettings() {
        self.statistics.targetBitrate = self.encoderSettings.bitRate
        do {
            try self.encoder?.apply(self.encoderSettings)
        } catch {
            preconditionFailure("\(error) from the encoder with \(self.encoderSettings)")
        }
    }
}

// MARK: - Sound

extension AudioSender {
    /// Sends whole packets of what was spoken; the rest waits for more. 48 kHz, the channels of a moment side by side.
    package mutating func speak(_ sound: Span<Float>, at now: Instant, into outbox: inout MediaOutbox) {
        self.catchUp(with: now)
        self.clockAdvanced(to: now, into: &outbox)
        let size = self.settings.frameDuration * self.settings.channels
        var taken = 0
        while taken < sound.count {
            let count = min(size - self.frame.count, sound.count - taken)
            let piece = sound.extracting(taken..<(taken + count))
            taken += count
            // A whole frame leaves as it lies there.
            if count == size {
                self.send(piece, at: now, into: &outbox)
            } else {
                self.gather(piece, size, at: now, into: &outbox)
            }
        }
    }

    private mutating func gather(_ piece: Span<Float>, _ size: Int, at now: Instant, into outbox: inout MediaOutbox) {
        self.frame.reserveCapacity(size)
        self.frame.append(copying: piece)
        guard self.frame.count == size else { return }
        var frame: [Float] = []
        swap(&frame, &self.frame)
        self.send(frame.span, at: now, into: &outbox)
        frame.removeAll(keepingCapacity: true)
        swap(&frame, &self.frame)
    }

    /// Sends a packet of Opus as it is, for a file or an echo.
    ///
    /// - Parameters:
    ///   - duration: of its sound, in samples.
    ///   - gap: what is missing in front of it, in samples.
    ///   - level: how loud it is, when that is known.
    package mutating func forward(
        _ packet: Span<UInt8>, duration: Int, gap: Int = 0, level: RTPAudioLevel? = nil, at now: Instant,
        into outbox: inout MediaOutbox
    ) {
        self.catchUp(with: now)
        self.clockAdvanced(to: now, into: &outbox)
        self.position += Int64(max(0, gap))
        self.isAfterPause = self.isAfterPause || gap > 0
        if !self.keys.isActive { self.send(packet, level: level, at: now, into: &outbox) }
        self.position += Int64(max(0, duration))
    }

    /// After a pause the stream goes on where the clock is, not where the sound ended (RFC 3550 §5.1).
    private mutating func catchUp(with now: Instant) {
        defer { self.lastSound = now }
        guard let lastSound, lastSound + Self.pauseTimeout < now else { return }
        self.position = self.position(at: now)
        self.frame.removeAll(keepingCapacity: true)
        self.recent.removeAll()
        self.isAfterPause = true
    }

    /// Where the stream is when no position was given.
    private func position(at now: Instant) -> Int64 {
        let since = self.lastSound.map { MediaClock.opus.ticks(in: $0.duration(to: now)) } ?? 0
        return self.position + Int64(self.frame.count / self.settings.channels) + max(0, since)
    }

    private func timestamp(at position: Int64) -> UInt32 {
        self.settings.firstTimestamp &+ UInt32(truncatingIfNeeded: position)
    }

    private mutating func send(_ frame: Span<Float>, at now: Instant, into outbox: inout MediaOutbox) {
        let level = SoundLevel(frame)
        self.note(level)
        if !self.keys.isActive {
            self.encode(frame)
            // Of the packets that mark silence (DTX), the first is enough.
            let saysNothing = self.settings.usesDTX && self.packet.count <= 2
            if !saysNothing || !self.isSilent {
                self.sendEncoded(level.header, at: now, into: &outbox)
            }
            self.isAfterPause = saysNothing
            self.isSilent = saysNothing
        }
        self.position += Int64(self.settings.frameDuration)
    }

    private mutating func sendEncoded(_ level: RTPAudioLevel, at now: Instant, into outbox: inout MediaOutbox) {
        // Taken out for a moment, since sending changes the rest.
        var packet: [UInt8] = []
        swap(&packet, &self.packet)
        self.send(packet.span, level: level, at: now, into: &outbox)
        swap(&packet, &self.packet)
    }

    private mutating func note(_ level: SoundLevel) {
        let duration = MediaClock.opus.duration(of: Int64(self.settings.frameDuration))
        self.statistics.audioLevel = level.amplitude
        self.statistics.totalAudioEnergy += level.power * (duration / .seconds(1))
        self.statistics.totalSamplesDuration += duration
    }

    private mutating func encode(_ frame: Span<Float>) {
        do {
            let encoder =
                try self.encoder
                ?? OpusEncoder(
                    rate: MediaClock.opus.rate, channels: self.settings.channels, settings: self.encoderSettings)
            self.encoder = encoder
            var packet: [UInt8] = []
            swap(&packet, &self.packet)
            try encoder.encode(frame, into: &packet)
            swap(&packet, &self.packet)
        } catch {
            preconditionFailure("\(error) from the encoder with \(self.encoderSettings)")
        }
    }
}

// MARK: - Keys

extension AudioSender {
    /// Keys of a telephone to be heard one after the other in place of the sound, and how many of them will be: none when
    /// the other side knows no keys.
    @discardableResult
    package mutating func press(_ keys: String) -> Int {
        self.settings.payloadTypes.telephoneEvent == nil ? 0 : self.keys.press(keys)
    }

    /// When to come back. It changes nothing; but what is only looked at would be copied first, and a sender is large.
    package mutating func findDeadline() -> Instant? { self.keys.deadline }

    /// Keys are still being pressed.
    package var isDialling: Bool { self.keys.isActive }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout MediaOutbox) {
        guard let payloadType = self.settings.payloadTypes.telephoneEvent, self.keys.isActive else { return }
        // Without sound the clock begins with the first key.
        self.lastSound = self.lastSound ?? now
        while let key = self.keys.next(at: now) {
            if key.isFirst {
                self.keyTimestamp = self.timestamp(at: self.position(at: now))
                self.statistics.keysSent += 1
            }
            self.composed.removeAll()
            key.event.write(to: &self.composed)
            self.sendComposed(
                payloadType, timestamp: self.keyTimestamp, isMarked: key.isFirst, level: nil, at: now, into: &outbox)
            self.recent.removeAll()
            self.isAfterPause = true
        }
    }
}

// MARK: - Packets

extension AudioSender {
    private mutating func send(
        _ payload: Span<UInt8>, level: RTPAudioLevel?, at now: Instant, into outbox: inout MediaOutbox
    ) {
        let types = self.settings.payloadTypes
        let timestamp = self.timestamp(at: self.position)
        let generations = self.statistics.redundancy
        if let red = types.red, generations > 0, self.recent.count > 0 {
            self.composed.removeAll()
            self.statistics.redundantBytesSent += UInt64(
                self.recent.write(
                    payload, timestamp: timestamp, payloadType: types.opus,
                    distances: RecentPayloads.distances(generations, isBursty: self.loss.isBursty), to: &self.composed))
            self.sendComposed(
                red, timestamp: timestamp, isMarked: self.isAfterPause, level: level, at: now, into: &outbox)
        } else {
            self.sendPacket(
                types.opus, payload, timestamp: timestamp, isMarked: self.isAfterPause, level: level, at: now,
                into: &outbox)
        }
        self.isAfterPause = false
        // While nothing gets lost no copies are needed.
        if types.red != nil, self.statistics.redundancy > 0 { self.remember(payload, timestamp: timestamp) }
    }

    /// A mark of silence (DTX) needs no copy.
    private mutating func remember(_ payload: Span<UInt8>, timestamp: UInt32) {
        if payload.count > 2 {
            self.recent.remember(payload, timestamp: timestamp)
        } else {
            self.recent.removeAll()
        }
    }

    private mutating func sendComposed(
        _ payloadType: UInt8, timestamp: UInt32, isMarked: Bool, level: RTPAudioLevel?, at now: Instant,
        into outbox: inout MediaOutbox
    ) {
        var composed = ByteWriter()
        swap(&composed, &self.composed)
        self.sendPacket(
            payloadType, composed.bytes.span, timestamp: timestamp, isMarked: isMarked, level: level, at: now,
            into: &outbox)
        swap(&composed, &self.composed)
    }

    private mutating func sendPacket(
        _ payloadType: UInt8, _ payload: Span<UInt8>, timestamp: UInt32, isMarked: Bool, level: RTPAudioLevel?,
        at now: Instant, into outbox: inout MediaOutbox
    ) {
        let header = RTPHeader(
            payloadType: payloadType, sequenceNumber: self.nextSequence, timestamp: timestamp,
            ssrc: self.settings.ssrc, isMarked: isMarked)
        self.nextSequence &+= 1
        var headerCount = 0
        outbox.append(.rtp, isCounted: self.settings.extensions.transportSequence != nil) { writer, transportSequence in
            let start = writer.count
            header.write(hasExtensions: !self.settings.extensions.isEmpty, to: &writer)
            self.settings.extensions.write(
                transportSequence: transportSequence, mediaID: self.isKnown ? nil : self.settings.mid, level: level,
                at: now, to: &writer)
            headerCount = writer.count - start
            writer.write(payload)
        }
        self.last = (timestamp, now)
        self.statistics.packetsSent += 1
        self.statistics.headerBytesSent += UInt64(headerCount)
        self.statistics.bytesSent += UInt64(payload.count)
        self.grow(at: now)
    }

    private mutating func grow(at now: Instant) {
        guard self.isNew, self.statistics.packetsSent >= self.packetsPerSecond else { return }
        self.isNew = false
        self.adapt(at: now)
    }

    /// What a report says of the stream; nil before anything was sent. The report's time is for its writer to fill in.
    package func senderReport(at now: Instant) -> MediaReport.Sender? {
        guard let last = self.last else { return nil }
        let since = MediaClock.opus.ticks(in: last.at.duration(to: now))
        return MediaReport.Sender(
            ssrc: self.settings.ssrc,
            info: RTCPSenderInfo(
                time: NTPTime(rawValue: 0), timestamp: last.timestamp &+ UInt32(truncatingIfNeeded: since),
                packets: UInt32(truncatingIfNeeded: self.statistics.packetsSent),
                octets: UInt32(truncatingIfNeeded: self.statistics.bytesSent)))
    }
}

// MARK: - Adapting to the path: copies of earlier packets while packets get lost, fewer bits while they gather

extension AudioSender {
    /// What a packet costs besides its Opus, in bytes: the header with extensions, and the tag of SRTP.
    private static let overhead = 12 + 12 + 16

    /// The other side has told what of this stream it received.
    package mutating func received(report: RemoteReport, at now: Instant) {
        guard report.ssrc == self.settings.ssrc else { return }
        self.isKnown = true
        self.statistics.received(report, .opus)
        let count = Int(clamping: self.statistics.packetsSent - self.packetsAtLastReport)
        self.packetsAtLastReport = self.statistics.packetsSent
        self.loss.heard(fractionLost: report.fractionLost, of: count, at: now)
        self.adapt(at: now)
    }

    /// The other side has told when packets of the transport arrived.
    package mutating func received(feedback: TransportEstimate, at now: Instant) {
        self.estimate = feedback
        if feedback.isCongested { self.lastCongestion = now }
        self.loss.heard(
            received: feedback.received, lost: feedback.lost, lostTogether: feedback.lostTogether, at: now)
        self.adapt(at: now)
    }

    private mutating func adapt(at now: Instant) {
        let redundancy = self.affordableRedundancy(at: now)
        self.statistics.redundancy = redundancy
        // Copies serve better than the coarse ones inside of Opus, which cost the sound its quality even when nothing
        // is lost. So these are for those who know no others, or cannot afford them.
        let needsFEC = self.settings.usesFEC && self.loss.level > .none && redundancy == 0
        var wanted = self.encoderSettings
        wanted.usesInbandFEC = needsFEC
        wanted.expectedLoss = needsFEC ? min(30, Int((self.loss.share * 100).rounded(.up))) : 0
        wanted.bitRate = self.affordableBitRate(with: redundancy)
        self.statistics.isFECActive = needsFEC
        guard wanted != self.encoderSettings else { return }
        self.encoderSettings = wanted
        self.applyEncoderSettings()
    }

    private var packetsPerSecond: Int { MediaClock.opus.rate / self.settings.frameDuration }

    /// What is there for copies and Opus together, in bit/s; nil before the way is known.
    private var budget: Int? {
        self.estimate.map { max(0, $0.bitRate - 8 * Self.overhead * self.packetsPerSecond) }
    }

    private func affordableRedundancy(at now: Instant) -> Int {
        guard self.settings.payloadTypes.red != nil else { return 0 }
        // What is lost because there is too much of it is not saved by more of it.
        if let last = self.lastCongestion, last + .seconds(3) > now { return 0 }
        guard let budget = self.budget else { return self.wantedRedundancy }
        return min(self.wantedRedundancy, max(0, budget / self.settings.minimumBitRate - 1))
    }

    /// The first words have all copies there are: who waits to know whether any are needed has lost them by then.
    private var wantedRedundancy: Int { (self.isNew ? .much : self.loss.level).rawValue }

    private func affordableBitRate(with redundancy: Int) -> Int {
        var share = (self.budget ?? self.settings.initialBitRate * (1 + redundancy)) / (1 + redundancy)
        if redundancy > 0 {
            // What copies cost on top of themselves: their headers, and those of the packet.
            let headers = 8 * (24 + 1 + 4 * redundancy) * self.packetsPerSecond
            share = min(share, (self.settings.maximumBitRateWithCopies - headers) / (1 + redundancy))
        }
        let most = max(self.settings.maximumBitRate, self.settings.minimumBitRate)
        // Inaudible changes are not worth the encoder's effort.
        return min(max(share / 1000 * 1000, self.settings.minimumBitRate), most)
    }
}
