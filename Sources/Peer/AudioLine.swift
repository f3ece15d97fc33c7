internal import AudioStreams
internal import Bytes
internal import MediaStreams
internal import Negotiating
internal import RTP
internal import SDP
internal import Vocabulary

/// Sound over one transceiver: spoken and heard, passed on as it is, or sent back.
final class AudioLine: MediaLine {
    var place: LinePlace
    private let settings: SoundSettings
    private var sender: AudioSender?
    private var receiver: AudioReceiver?
    /// What went back as an echo and is still to be lent.
    private var echoed: [AudioPayload] = []

    /// As much as waits for a packet in any other line: its reader comes soon.
    private static let maximumEchoed = 64

    init(_ transceiver: Transceiver, _ settings: SoundSettings) {
        self.place = LinePlace(transceiver)
        self.settings = settings
    }

    func open(_ transceiver: Transceiver, random: inout any RandomNumberGenerator & Sendable) {
        if transceiver.sends, let format = transceiver.sending {
            let settings = AudioSenderSettings(transceiver, format, self.settings, random: &random)
            if self.sender == nil { self.sender = AudioSender(settings) } else { self.sender?.change(settings) }
        }
        if transceiver.receives, let format = transceiver.receiving {
            let settings = AudioReceiverSettings(format, self.settings)
            if self.receiver == nil { self.receiver = AudioReceiver(settings) } else { self.receiver?.change(settings) }
        }
    }

    func accepts(_ payloadType: UInt8) -> Bool {
        self.receiver?.settings.payloadTypes.contains(payloadType) == true
    }

    func findDeadline() -> Instant? { .earlier(self.sender?.findDeadline(), self.payloadDeadline) }

    /// When there may be a packet to lend.
    private var payloadDeadline: Instant? { self.receiver?.findPayloadDeadline() }

    // MARK: - What comes

    func received(_ packet: borrowing RTPPacket, at now: Instant, _ work: inout LineWork) {
        self.receiver?.received(packet, at: now)
        self.takeEvents(into: &work.events)
        if self.settings.echoes { self.echo(at: now, &work) }
    }

    private func takeEvents(into events: inout [PeerEvent]) {
        while let event = self.receiver?.nextEvent() {
            if case .key(let key, let duration) = event {
                events.append(.key(key, duration, transceiver: self.place.transceiver))
            }
        }
    }

    /// Back as it came.
    private func echo(at now: Instant, _ work: inout LineWork) {
        while let payload = self.receiver?.nextPayload(at: now) {
            if self.place.sends {
                self.sender?.forward(
                    payload.bytes.span, duration: payload.duration, gap: payload.gap, at: now, into: &work.outbox)
            }
            if self.settings.lendsPayloads { self.keep(payload) } else { self.receiver?.recycle(payload) }
        }
        if !self.echoed.isEmpty { work.events.append(.payloadsWaiting) }
    }

    private func keep(_ payload: AudioPayload) {
        if self.echoed.count == Self.maximumEchoed { self.echoed.removeFirst() }
        self.echoed.append(payload)
    }

    /// What comes next of theirs; silence where nothing is played.
    func pull(into sound: inout MutableSpan<Float>, at now: Instant, events: inout [PeerEvent]) {
        guard self.receiver?.settings.isPlayed == true else {
            for index in sound.indices { sound[index] = 0 }
            return
        }
        self.receiver?.pull(into: &sound, at: now)
        self.takeEvents(into: &events)
    }

    /// Theirs as it came, in its order. Give it back with `recycle`, for its memory.
    func nextPayload(at now: Instant) -> AudioPayload? {
        guard self.settings.echoes else { return self.receiver?.nextPayload(at: now) }
        return self.echoed.isEmpty ? nil : self.echoed.removeFirst()
    }

    func recycle(_ payload: consuming AudioPayload) { self.receiver?.recycle(payload) }

    // MARK: - What leaves

    func speak(_ sound: Span<Float>, at now: Instant, into outbox: inout MediaOutbox) {
        // A peer that takes one channel is sent one, whatever is captured here.
        if self.settings.isStereo, self.sender?.settings.isStereo == false {
            let mixed = (0..<(sound.count / 2)).map { (sound[2 * $0] + sound[2 * $0 + 1]) / 2 }
            self.sender?.speak(mixed.span, at: now, into: &outbox)
        } else {
            self.sender?.speak(sound, at: now, into: &outbox)
        }
    }

    func forward(_ opus: Span<UInt8>, duration: Int, at now: Instant, into outbox: inout MediaOutbox) {
        self.sender?.forward(opus, duration: duration, at: now, into: &outbox)
    }

    func press(_ keys: String, at now: Instant, into outbox: inout MediaOutbox) -> Int {
        let count = self.sender?.press(keys) ?? 0
        self.sender?.clockAdvanced(to: now, into: &outbox)
        return count
    }

    var isDialling: Bool { self.sender?.isDialling == true }

    func clockAdvanced(to now: Instant, _ work: inout LineWork) {
        self.sender?.clockAdvanced(to: now, into: &work.outbox)
        guard let deadline = self.payloadDeadline, deadline <= now else { return }
        if self.settings.echoes { self.echo(at: now, &work) } else { work.events.append(.payloadsWaiting) }
    }

    func received(_ event: MediaReporterEvent, at now: Instant, _ work: inout LineWork) {
        switch event {
        case .report(let report): self.sender?.received(report: report, at: now)
        case .feedback(let feedback): self.sender?.received(feedback: feedback, at: now)
        // Sound has copies of lost packets in later ones, and no pictures.
        case .missing, .keyFrameRequest, .quality, .goodbye: break
        }
    }

    func keep(_ packet: Span<UInt8>, at now: Instant) {}

    // MARK: - Reports

    func report(into report: inout MediaReport, roundTrip: Duration?, at now: Instant) {
        if let reception = self.receiver?.takeReport() { report.receptions.append(reception) }
        if let quality = self.receiver?.quality(roundTrip: roundTrip) { report.qualities.append(quality) }
        if self.place.sends, let own = self.sender?.senderReport(at: now) { report.senders.append(own) }
    }

    var statistics: CallStatistics.Line {
        CallStatistics.Line(
            transceiver: self.place.transceiver, kind: .audio, outbound: self.sender?.statistics,
            inbound: self.receiver?.statistics, delay: self.receiver?.delay)
    }
}

// MARK: - What was agreed on

extension AudioSenderSettings {
    fileprivate init(
        _ transceiver: Transceiver, _ format: MediaFormat, _ sound: SoundSettings,
        random: inout any RandomNumberGenerator & Sendable
    ) {
        self.init(ssrc: transceiver.ssrc)
        let opus = format[.primary].map { OpusParameters($0.codec) } ?? OpusParameters()
        self.mid = transceiver.mediaID?.value
        self.payloadTypes = AudioPayloadTypes(format)
        self.extensions = format.extensions
        self.firstSequence = UInt16(truncatingIfNeeded: random.next()) & 0x7FFF
        self.firstTimestamp = UInt32(truncatingIfNeeded: random.next())
        self.ptime = min(max(sound.packetDuration ?? format.packetDuration ?? 20, 10), 60)
        if let maximum = format.maximumPacketDuration { self.ptime = min(self.ptime, maximum) }
        self.isStereo = sound.isStereo && opus.isStereo
        self.usesDTX = sound.usesDTX
        self.usesFEC = opus.usesRecovery
        self.initialBitRate = min(sound.bitRate, opus.maximumBitrate ?? .max)
        self.maximumBitRate = self.initialBitRate
        self.minimumBitRate = min(self.minimumBitRate, self.initialBitRate)
    }
}

extension AudioReceiverSettings {
    fileprivate init(_ format: MediaFormat, _ sound: SoundSettings) {
        self.init()
        self.payloadTypes = AudioPayloadTypes(format)
        self.extensions = format.extensions
        self.isStereo = sound.isStereo
        self.isPlayed = sound.isPlayed
        self.lendsPayloads = sound.lendsPayloads || sound.echoes
    }
}

extension AudioPayloadTypes {
    fileprivate init(_ format: MediaFormat) {
        self.init(
            opus: format[.primary]?.payloadType ?? 111, red: format[.redundancy]?.payloadType,
            telephoneEvent: format[.events]?.payloadType)
    }
}
