import AudioStreams
import Bytes
import RTP
import TestSupport
import Vocabulary

/// Two ends of a call and the line between them, in virtual time. What one says goes to the other after `line` has decided
/// how long it takes, in milliseconds, or that it gets lost.
struct VirtualCall {
    struct End {
        var sender: AudioSender
        var receiver: AudioReceiver
        var reporter: MediaReporter
        var outbox = MediaOutbox()
        var estimates: [TransportEstimate] = []
        var reports: [RemoteReport] = []
        var goodbyes: [UInt32] = []
        var events: [AudioEvent] = []
        var heard: [Float] = []
        /// What it has spoken so far, in samples.
        var spoken = 0
        /// By how many millionths its clock is quicker.
        var drift = 0.0
        /// Ten milliseconds so far.
        var ticks = 0
    }

    private struct Flight {
        let arrival: Double
        let bytes: [UInt8]
        let kind: MediaOutbox.Kind
        let toSecond: Bool
    }

    typealias Line = (_ now: Double, _ bytes: Int, _ kind: MediaOutbox.Kind, _ random: inout SeededRandom) -> Double?

    var first: End
    var second: End
    var line: Line
    /// What the first one says, sample by sample; nil for nothing at all.
    var voice: ((Int) -> Float)? = { TestSound.voice[$0 % TestSound.voice.count] }
    /// Copies what the second one hears back to the first, without a decoder.
    var isEchoed = false
    private(set) var now = 0.0
    private var flights: [Flight] = []
    private var random: SeededRandom
    private(set) var packetsSent = 0

    init(
        seed: UInt64 = 1, sender: (inout AudioSenderSettings) -> Void = { _ in },
        receiver: (inout AudioReceiverSettings) -> Void = { _ in },
        reporter: (inout MediaReporterSettings) -> Void = { _ in }, line: @escaping Line
    ) {
        self.random = SeededRandom(seed: seed)
        self.line = line
        func end(_ ssrc: UInt32) -> End {
            var sending = AudioSenderSettings(ssrc: ssrc)
            sending.payloadTypes = AudioPayloadTypes(opus: 111, red: 63, telephoneEvent: 110)
            sending.extensions = AudioExtensions(audioLevel: 1, mid: 4, transportCC: 3, absSendTime: 2)
            sending.mid = "0"
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
            return End(
                sender: AudioSender(sending), receiver: AudioReceiver(receiving),
                reporter: MediaReporter(reporting, at: Instant(nanoseconds: 0)))
        }
        self.first = end(1)
        self.second = end(2)
    }

    var instant: Instant { Instant(nanoseconds: Int64(self.now * 1e6)) }

    mutating func run(seconds: Double) {
        let end = self.now + seconds * 1000
        while self.now < end {
            self.now += 1
            self.deliver()
            if Double(self.first.ticks) * 10 * (1 - self.first.drift / 1e6) <= self.now { self.speak() }
            if Double(self.second.ticks) * 10 * (1 - self.second.drift / 1e6) <= self.now { self.listen() }
            self.leave(from: \.first, toSecond: true)
            self.leave(from: \.second, toSecond: false)
        }
    }

    private mutating func speak() {
        self.first.ticks += 1
        if let voice {
            let sound = (0..<480).map { voice(self.first.spoken + $0) }
            self.first.spoken += 480
            self.first.sender.speak(sound.span, at: self.instant, into: &self.first.outbox)
        }
        guard self.isEchoed else { return }
        self.first.pull(at: self.instant)
    }

    private mutating func listen() {
        self.second.ticks += 1
        if self.isEchoed {
            while let payload = self.second.receiver.nextPayload(at: self.instant) {
                self.second.sender.forward(
                    payload.bytes.span, duration: payload.duration, gap: payload.gap, at: self.instant,
                    into: &self.second.outbox)
                self.second.receiver.recycle(payload)
            }
        } else {
            self.second.pull(at: self.instant)
        }
    }

    private mutating func leave(from end: WritableKeyPath<VirtualCall, End>, toSecond: Bool) {
        let now = self.instant
        self[keyPath: end].tick(at: now)
        let outbox = self[keyPath: end].outbox
        for packet in outbox.packets {
            self.packetsSent += 1
            guard let delay = self.line(self.now, packet.range.count, packet.kind, &self.random) else { continue }
            let bytes = outbox.withBytes(of: packet) { [UInt8](copying: $0) }
            self.flights.append(
                Flight(arrival: self.now + max(0, delay), bytes: bytes, kind: packet.kind, toSecond: toSecond))
        }
        self[keyPath: end].outbox.removeAll()
    }

    private mutating func deliver() {
        let arrived = self.flights.filter { $0.arrival <= self.now }.sorted { $0.arrival < $1.arrival }
        self.flights.removeAll { $0.arrival <= self.now }
        for flight in arrived {
            if flight.toSecond {
                self.second.take(flight.bytes, flight.kind, at: self.instant)
            } else {
                self.first.take(flight.bytes, flight.kind, at: self.instant)
            }
        }
    }
}

extension VirtualCall.End {
    mutating func pull(at now: Instant) {
        var sound = [Float](repeating: 0, count: 480 * self.receiver.settings.channels)
        var span = sound.mutableSpan
        self.receiver.pull(into: &span, at: now)
        self.heard += sound
        if self.heard.count > 960_000 { self.heard.removeFirst(480_000) }
    }

    mutating func tick(at now: Instant) {
        if let deadline = self.sender.deadline, deadline <= now {
            self.sender.clockAdvanced(to: now, into: &self.outbox)
        }
        if self.reporter.isReportDue(at: now) {
            let report = MediaReport(
                sender: self.sender.senderInfo(at: now), receptions: [self.receiver.takeReport()].compactMap { $0 })
            self.reporter.report(report, at: now, into: &self.outbox)
        }
        self.reporter.clockAdvanced(to: now, into: &self.outbox)
        self.reporter.sent(self.outbox, at: now)
        while let event = self.receiver.nextEvent() { self.events.append(event) }
    }

    mutating func take(_ bytes: [UInt8], _ kind: MediaOutbox.Kind, at now: Instant) {
        switch kind {
        case .rtp:
            guard let packet = try? RTPPacket(parsing: bytes.span) else { return }
            self.reporter.received(packet, transportCC: self.receiver.settings.extensions.transportCC, at: now)
            self.receiver.received(packet, at: now)
        case .rtcp: self.reporter.received(bytes.span, at: now)
        }
        while let event = self.reporter.nextEvent() {
            switch event {
            case .report(let report):
                self.reports.append(report)
                self.sender.received(report: report, at: now)
            case .feedback(let estimate):
                self.estimates.append(estimate)
                self.sender.received(feedback: estimate, at: now)
            case .goodbye(let ssrc): self.goodbyes.append(ssrc)
            case .quality: break
            }
        }
    }
}

extension TestSound {
    /// Ten seconds of something like a voice.
    static let voice = TestSound.babble(seconds: 10, rate: 48_000)
}
