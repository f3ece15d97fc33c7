internal import Bytes
package import RTP
package import Vocabulary

/// The reports of one transport, both ways: when it is time to send one and what is in it, and what the other side says.
///
/// It has no clock: the time comes with each call, and `deadline` says when to come back.
package struct MediaReporter: Sendable {
    package let settings: MediaReporterSettings
    private var interval: ReportInterval
    private var nextReport: Instant
    private var nextFeedback: Instant?
    private var reportsSent = 0
    private var arrivals = TransportArrivals()
    private var sentPackets: SentPackets
    private var bandwidth: BandwidthEstimator
    private var others: [OtherEnd] = []
    private var events: [MediaReporterEvent] = []
    /// Of the media that feedback is about: any that was heard.
    private var heardSSRC: UInt32 = 0
    /// The last one that was measured.
    package private(set) var roundTrip: Duration?

    /// One who sends reports.
    private struct OtherEnd {
        let ssrc: UInt32
        var report: (middle: UInt32, at: Instant)?
        var receiverTime: (middle: UInt32, at: Instant)?
    }

    /// A packet of its own for five or ten of speech that it tells of: more often would cost more than it helps, and what is
    /// made of it is decided twice a second.
    private static let feedbackInterval = Duration.milliseconds(200)
    /// More than one transport has.
    private static let maximumOthers = 64
    private static let maximumEvents = 256
    /// As many packets as anybody keeps; more in one request is no loss but an attempt.
    private static let maximumMissing = 512

    package init(_ settings: MediaReporterSettings, at now: Instant) {
        self.settings = settings
        self.interval = ReportInterval(
            sessionBitRate: settings.sessionBitRate, least: settings.minimumInterval, seed: settings.seed)
        self.sentPackets = SentPackets(capacity: settings.sentPacketsKept)
        self.bandwidth = BandwidthEstimator(
            starting: settings.initialEstimate, within: 10_000...max(10_000, settings.maximumEstimate))
        self.nextReport = now
        self.nextReport = now + self.interval.next(members: 2, isFirst: true)
    }

    /// What was said since the last time, one by one.
    package mutating func nextEvent() -> MediaReporterEvent? {
        self.events.isEmpty ? nil : self.events.removeFirst()
    }

    /// When to come back. It changes nothing; but what is only looked at would be copied first, and this is large.
    package mutating func findDeadline() -> Instant { min(self.nextReport, self.nextFeedback ?? self.nextReport) }

    private func time(at now: Instant) -> NTPTime {
        let (seconds, rest) = UInt64(max(0, now.nanoseconds)).quotientAndRemainder(dividingBy: 1_000_000_000)
        return NTPTime(rawValue: self.settings.clockStart.rawValue &+ seconds << 32 &+ (rest << 32) / 1_000_000_000)
    }
}

// MARK: - What this end says

extension MediaReporter {
    /// Streams are asked for what they have to report only when that is true.
    package func isReportDue(at now: Instant) -> Bool { self.nextReport <= now }

    /// Writes a report, and says when the next one is due.
    package mutating func report(_ report: MediaReport, at now: Instant, into outbox: inout MediaOutbox) {
        let receptions = report.receptions.map { self.completed($0, at: now) }
        outbox.append(.rtcp) { writer, _ in
            let start = writer.count
            self.write(report.senders, receptions, at: now, to: &writer)
            self.writeExtended(report, at: now, to: &writer)
            self.writeFeedback(to: &writer)
            self.interval.passed(writer.count - start)
        }
        self.reportsSent += 1
        self.nextReport = now + self.interval.next(members: self.others.count + 1, isFirst: false)
    }

    /// The first report of a compound packet carries what is said of others (RFC 3550 §6.1).
    private func write(
        _ senders: [MediaReport.Sender], _ receptions: [RTCPReport], at now: Instant, to writer: inout ByteWriter
    ) {
        for (index, sender) in senders.enumerated() {
            var info = sender.info
            info.time = self.time(at: now)
            RTCPWriter.senderReport(sender.ssrc, info, index == 0 ? receptions : [], to: &writer)
        }
        if senders.isEmpty { RTCPWriter.receiverReport(self.settings.ssrc, receptions, to: &writer) }
        RTCPWriter.canonicalName(self.settings.cname, of: self.settings.ssrc, to: &writer)
    }

    /// With when the sender's own report was heard, so that it can tell the time that the way takes.
    private func completed(_ report: RTCPReport, at now: Instant) -> RTCPReport {
        var report = report
        guard let last = self.others.first(where: { $0.ssrc == report.ssrc })?.report else { return report }
        report.lastReport = last.middle
        report.sinceLastReport = NTPInterval(nanoseconds: last.at.duration(to: now).clampedNanoseconds)
        return report
    }

    private func writeExtended(_ report: MediaReport, at now: Instant, to writer: inout ByteWriter) {
        guard self.settings.sendsExtendedReports else { return }
        let echoes = self.others.compactMap { other in
            other.receiverTime.map { time in
                RTCPReceiverTimeEcho(
                    ssrc: other.ssrc, lastReport: time.middle,
                    sinceLastReport: NTPInterval(nanoseconds: time.at.duration(to: now).clampedNanoseconds))
            }
        }
        // Who sends says the time in its own report.
        let time = report.senders.isEmpty ? self.time(at: now) : nil
        guard time != nil || !echoes.isEmpty || !report.qualities.isEmpty else { return }
        RTCPWriter.extendedReport(
            from: self.settings.ssrc, time: time, echoes: echoes, quality: report.qualities, to: &writer)
    }

    private mutating func writeFeedback(to writer: inout ByteWriter) {
        self.nextFeedback = nil
        guard !self.arrivals.isEmpty else { return }
        self.arrivals.write(from: self.settings.ssrc, about: self.heardSSRC, to: &writer)
    }

    /// Sends what is due besides reports.
    package mutating func clockAdvanced(to now: Instant, into outbox: inout MediaOutbox) {
        guard let next = self.nextFeedback, next <= now else { return }
        outbox.append(.rtcp) { writer, _ in
            self.beginFeedback(at: now, to: &writer)
            self.writeFeedback(to: &writer)
        }
    }

    private func beginFeedback(at now: Instant, to writer: inout ByteWriter) {
        // Without reduced size an empty report goes in front.
        if !self.settings.allowsReducedSize { self.write([], [], at: now, to: &writer) }
    }

    /// Asks the sender of a stream for packets again. Their numbers in order.
    package func request(_ missing: [UInt16], of ssrc: UInt32, at now: Instant, into outbox: inout MediaOutbox) {
        outbox.append(.rtcp) { writer, _ in
            self.beginFeedback(at: now, to: &writer)
            RTCPWriter.nack(from: self.settings.ssrc, about: ssrc, missing, to: &writer)
        }
    }

    /// Asks the sender of a stream to begin anew with a picture that needs no other.
    package func request(
        _ request: RTCPKeyFrameRequest, of ssrc: UInt32, at now: Instant, into outbox: inout MediaOutbox
    ) {
        outbox.append(.rtcp) { writer, _ in
            self.beginFeedback(at: now, to: &writer)
            switch request {
            case .pictureLoss: RTCPWriter.pictureLoss(from: self.settings.ssrc, about: ssrc, to: &writer)
            case .fullIntra(let number):
                RTCPWriter.fullIntra(from: self.settings.ssrc, about: ssrc, number: number, to: &writer)
            }
        }
    }

    /// The last report of all: this end leaves.
    package mutating func goodbye(
        _ report: MediaReport, reason: String = "", at now: Instant, into outbox: inout MediaOutbox
    ) {
        let receptions = report.receptions.map { self.completed($0, at: now) }
        outbox.append(.rtcp) { writer, _ in
            self.write(report.senders, receptions, at: now, to: &writer)
            RTCPWriter.goodbye([self.settings.ssrc], reason: reason, to: &writer)
        }
    }
}

// MARK: - What passes

extension MediaReporter {
    /// The packets of the outbox are leaving.
    package mutating func sent(_ outbox: borrowing MediaOutbox, at now: Instant) {
        for packet in outbox.packets {
            guard let sequence = packet.transportSequence else { continue }
            self.sentPackets.sent(sequence, bytes: packet.range.count + 16, at: now)
        }
    }

    /// A packet of media came, with its number among all of the transport if it had any.
    package mutating func received(_ packet: borrowing RTPPacket, numbered id: UInt8?, at now: Instant) {
        self.heardSSRC = packet.header.ssrc
        guard self.settings.sendsTransportFeedback, let id, let sequence = packet.transportSequence(id) else { return }
        self.arrivals.heard(sequence, at: now)
        if self.nextFeedback == nil { self.nextFeedback = now + Self.feedbackInterval }
    }
}

// MARK: - What the other side says

extension MediaReporter {
    /// A datagram of RTCP came. What is not whole is thrown away; events tell of the rest.
    package mutating func received(_ bytes: Span<UInt8>, at now: Instant) {
        guard var datagram = try? RTCPDatagram(parsing: bytes) else { return }
        self.interval.passed(bytes.count)
        while let packet = datagram.next() {
            switch packet.type {
            case .senderReport, .receiverReport: self.receivedReport(packet, at: now)
            case .extendedReport: self.receivedExtended(packet, at: now)
            case .transportFeedback: self.receivedFeedback(packet, at: now)
            case .payloadFeedback: self.receivedPayloadFeedback(packet)
            case .goodbye: packet.forEachGoodbye { self.left($0) }
            default: break
            }
        }
    }

    private mutating func tell(_ event: MediaReporterEvent) {
        if self.events.count < Self.maximumEvents { self.events.append(event) }
    }

    private mutating func left(_ ssrc: UInt32) {
        self.others.removeAll { $0.ssrc == ssrc }
        self.tell(.goodbye(ssrc))
    }

    /// Where that end is in the list; nil when there are too many.
    private mutating func index(of ssrc: UInt32) -> Int? {
        if let index = self.others.firstIndex(where: { $0.ssrc == ssrc }) { return index }
        guard self.others.count < Self.maximumOthers else { return nil }
        self.others.append(OtherEnd(ssrc: ssrc))
        return self.others.count - 1
    }

    private mutating func receivedReport(_ packet: borrowing RTCPPacket, at now: Instant) {
        if let ssrc = packet.ssrc, let index = self.index(of: ssrc), let info = packet.senderInfo {
            self.others[index].report = (info.time.middle, now)
        }
        packet.forEachReport { report in
            let roundTrip = self.measure(sent: report.lastReport, held: report.sinceLastReport, at: now)
            self.tell(
                .report(
                    RemoteReport(
                        ssrc: report.ssrc, fractionLost: Double(report.fractionLost) / 256,
                        packetsLost: Int64(report.lost), jitter: report.jitter, roundTrip: roundTrip)))
        }
    }

    private mutating func measure(sent: UInt32, held: NTPInterval, at now: Instant) -> Duration? {
        let trip = NTPInterval.roundTrip(now: self.time(at: now), sent: sent, held: held)
        guard let trip else { return nil }
        self.roundTrip = .nanoseconds(trip.nanoseconds)
        return self.roundTrip
    }

    private mutating func receivedExtended(_ packet: borrowing RTCPPacket, at now: Instant) {
        if let ssrc = packet.ssrc, let time = packet.receiverTime, let index = self.index(of: ssrc) {
            self.others[index].receiverTime = (time.middle, now)
        }
        packet.forEachTimeEcho { echo in
            guard echo.ssrc == self.settings.ssrc else { return }
            _ = self.measure(sent: echo.lastReport, held: echo.sinceLastReport, at: now)
        }
        packet.forEachCallQuality { self.tell(.quality($0)) }
    }

    private mutating func receivedFeedback(_ packet: borrowing RTCPPacket, at now: Instant) {
        guard let feedback = TransportWideFeedback(packet) else { return self.receivedNACK(packet) }
        let tick = 1_000_000_000 / TransportWideFeedback.ticksPerSecond
        feedback.forEach { sequence, arrival in
            guard let sent = self.sentPackets.told(sequence, isReceived: arrival != nil), let arrival else { return }
            self.bandwidth.arrived(sent, at: arrival * tick)
        }
        let (received, lost, lostTogether) = self.sentPackets.judge()
        self.bandwidth.judged(received: received, lost: lost)
        self.bandwidth.clockAdvanced(to: now)
        self.tell(
            .feedback(
                TransportEstimate(
                    received: received, lost: lost, lostTogether: lostTogether, bitRate: self.bandwidth.bitRate,
                    isCongested: self.bandwidth.isCongested)))
    }

    private mutating func receivedNACK(_ packet: borrowing RTCPPacket) {
        guard let ssrc = packet.mediaSSRC else { return }
        var missing: [UInt16] = []
        packet.forEachMissing { if missing.count < Self.maximumMissing { missing.append($0) } }
        if !missing.isEmpty { self.tell(.missing(missing, of: ssrc)) }
    }

    private mutating func receivedPayloadFeedback(_ packet: borrowing RTCPPacket) {
        if packet.isPictureLoss, let ssrc = packet.mediaSSRC { self.tell(.keyFrameRequest(.pictureLoss, of: ssrc)) }
        packet.forEachFullIntra { self.tell(.keyFrameRequest(.fullIntra(number: $1), of: $0)) }
    }
}
