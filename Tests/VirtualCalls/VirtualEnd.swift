package import AudioStreams
package import MediaStreams
package import RTP
internal import Vocabulary

/// One end of a call: what it says, what it hears, and the reports in between.
package struct VirtualEnd: ~Copyable {
    package enum Voice {
        case silent
        /// Over and over, at 48 kHz: a whole number of pieces of 10 ms.
        case sound([Float])
        /// Packets of Opus of 20 ms, over and over, without an encoder.
        case packets([[UInt8]])
        /// What it hears, without a decoder.
        case echo
    }

    package var sender: AudioSender
    package var receiver: AudioReceiver
    package var reporter: MediaReporter
    package var outbox = MediaOutbox()
    package var voice = Voice.silent
    /// It listens; otherwise nothing is decoded.
    package var isListening = false
    /// How much of what it heard is kept, in samples.
    package var keptSound = 480_000
    /// Keeps how long each packet waited.
    package var keepsDelays = false
    /// Given each packet of Opus in its order, as a recording is.
    package var onPayload: ((AudioPayload) -> Void)?
    /// By how many millionths its clock is quicker.
    package var drift = 0.0

    package private(set) var heard: [Float] = []
    /// In milliseconds: when, and how long each packet waited.
    package private(set) var delays: [(time: Double, delay: Double)] = []
    package private(set) var estimates: [TransportEstimate] = []
    package private(set) var reports: [RemoteReport] = []
    package private(set) var qualities: [RTCPCallQuality] = []
    package private(set) var goodbyes: [UInt32] = []
    package private(set) var events: [AudioEvent] = []

    /// Pieces of ten milliseconds so far.
    private var ticks: Int64 = 0
    private var room: [Float]

    init(
        ssrc: UInt32, seed: UInt64, _ sender: (inout AudioSenderSettings) -> Void,
        _ receiver: (inout AudioReceiverSettings) -> Void, _ reporter: (inout MediaReporterSettings) -> Void
    ) {
        var sending = AudioSenderSettings(ssrc: ssrc)
        sending.payloadTypes = AudioPayloadTypes(opus: 111, red: 63, telephoneEvent: 110)
        sending.extensions = RTPExtensionIDs(audioLevel: 1, mediaID: 4, transportSequence: 3, absoluteSendTime: 2)
        sending.mid = "0"
        // Numbers soon begin anew.
        sending.firstSequence = 65_500
        sending.firstTimestamp = 4_294_960_000
        sender(&sending)
        var receiving = AudioReceiverSettings()
        receiving.payloadTypes = sending.payloadTypes
        receiving.extensions = sending.extensions
        receiver(&receiving)
        var reporting = MediaReporterSettings(ssrc: ssrc, cname: "end-\(ssrc)")
        reporting.sendsTransportFeedback = true
        reporting.sendsExtendedReports = true
        reporting.seed = seed &* 2 &+ UInt64(ssrc)
        reporter(&reporting)
        self.sender = AudioSender(sending)
        self.receiver = AudioReceiver(receiving)
        self.reporter = MediaReporter(reporting, at: Instant(nanoseconds: 0))
        self.room = [Float](repeating: 0, count: 480 * receiving.channels)
    }

    // MARK: - Time

    private func local(_ now: Int64) -> Instant { Instant(nanoseconds: now + Int64(Double(now) * self.drift / 1e6)) }

    private func global(_ local: Int64) -> Int64 {
        self.drift == 0 ? local : Int64(Double(local) / (1 + self.drift / 1e6)) + 2
    }

    mutating func findNextWake() -> Int64 {
        var next = min(self.ticks * 10_000_000, self.reporter.findDeadline().nanoseconds)
        if let deadline = self.sender.findDeadline() { next = min(next, max(0, deadline.nanoseconds)) }
        return self.global(next)
    }

    /// Does what is due, and says whether there is something to send.
    mutating func wake(at now: Int64) -> Bool {
        let now = self.local(now)
        if self.ticks * 10_000_000 <= now.nanoseconds {
            self.speak(at: now)
            self.listen(at: now)
            self.ticks += 1
        }
        if let deadline = self.sender.findDeadline(), deadline <= now {
            self.sender.clockAdvanced(to: now, into: &self.outbox)
        }
        self.report(at: now)
        guard !self.outbox.isEmpty else { return false }
        self.reporter.sent(self.outbox, at: now)
        return true
    }

    private mutating func speak(at now: Instant) {
        switch self.voice {
        case .silent: break
        case .sound(let sound):
            let start = Int(self.ticks) * 480 * self.sender.settings.channels % sound.count
            let piece = sound.span.extracting(start..<(start + 480 * self.sender.settings.channels))
            self.sender.speak(piece, at: now, into: &self.outbox)
        case .packets(let packets):
            guard self.ticks.isMultiple(of: 2) else { return }
            let packet = packets[Int(self.ticks / 2) % packets.count]
            self.sender.forward(packet.span, duration: 960, at: now, into: &self.outbox)
        case .echo:
            while let payload = self.receiver.nextPayload(at: now) {
                self.sender.forward(
                    payload.bytes.span, duration: payload.duration, gap: payload.gap, at: now, into: &self.outbox)
                self.receiver.recycle(payload)
            }
        }
    }

    private mutating func record(at now: Instant) {
        guard let onPayload = self.onPayload else { return }
        while let payload = self.receiver.nextPayload(at: now) {
            onPayload(payload)
            self.receiver.recycle(payload)
        }
    }

    private mutating func listen(at now: Instant) {
        self.record(at: now)
        guard self.isListening else { return self.receiver.clockAdvanced(to: now) }
        let before = self.keepsDelays ? self.receiver.statistics : InboundStatistics()
        self.pull(at: now)
        if self.keptSound > 0 { self.heard.append(contentsOf: self.room) }
        if self.heard.count > 2 * self.keptSound { self.heard.removeFirst(self.heard.count - self.keptSound) }
        guard self.keepsDelays else { return }
        let after = self.receiver.statistics
        let count = after.jitterBufferEmittedCount - before.jitterBufferEmittedCount
        guard count > 0 else { return }
        let waited = (after.jitterBufferDelay - before.jitterBufferDelay) / .milliseconds(1)
        self.delays.append((Double(now.nanoseconds) / 1e6, waited / Double(count)))
    }

    private mutating func pull(at now: Instant) {
        var room: [Float] = []
        swap(&room, &self.room)
        var span = room.mutableSpan
        self.receiver.pull(into: &span, at: now)
        swap(&room, &self.room)
    }

    private mutating func report(at now: Instant) {
        if self.reporter.isReportDue(at: now) {
            let receptions = [self.receiver.takeReport()].compactMap { $0 }
            let quality = self.receiver.quality(roundTrip: self.reporter.roundTrip)
            let report = MediaReport(
                senders: self.senders(at: now), receptions: receptions, qualities: [quality].compactMap { $0 })
            self.reporter.report(report, at: now, into: &self.outbox)
        }
        self.reporter.clockAdvanced(to: now, into: &self.outbox)
    }

    private func senders(at now: Instant) -> [MediaReport.Sender] {
        [self.sender.senderReport(at: now)].compactMap(\.self)
    }

    /// Leaves.
    package mutating func hangUp(at now: Int64) {
        let report = MediaReport(senders: self.senders(at: self.local(now)))
        self.reporter.goodbye(report, reason: "done", at: self.local(now), into: &self.outbox)
    }

    // MARK: - Packets

    mutating func take(_ bytes: [UInt8], _ kind: MediaOutbox.Kind, at now: Int64) {
        let now = self.local(now)
        switch kind {
        case .rtp:
            guard let packet = try? RTPPacket(parsing: bytes.span) else { return }
            self.reporter.received(packet, numbered: self.receiver.settings.extensions.transportSequence, at: now)
            self.receiver.received(packet, at: now)
            while let event = self.receiver.nextEvent() { self.events.append(event) }
        case .srtp: break
        case .rtcp:
            self.reporter.received(bytes.span, at: now)
            while let event = self.reporter.nextEvent() { self.heard(event, at: now) }
        }
    }

    private mutating func heard(_ event: MediaReporterEvent, at now: Instant) {
        switch event {
        case .report(let report):
            self.reports.append(report)
            self.sender.received(report: report, at: now)
        case .feedback(let estimate):
            self.estimates.append(estimate)
            self.sender.received(feedback: estimate, at: now)
        case .goodbye(let ssrc): self.goodbyes.append(ssrc)
        case .quality(let quality): self.qualities.append(quality)
        case .missing, .keyFrameRequest: break
        }
    }
}
