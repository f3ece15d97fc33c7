internal import AudioStreams
internal import Bytes
internal import ICE
internal import MediaStreams
internal import Negotiating
internal import RTP
internal import SDP
internal import VideoStreams
internal import Vocabulary

/// The media of one call: a line for each transceiver, packets to and from them, and the reports about all of them.
struct SessionMedia {
    private let settings: PeerSettings
    private var lines: [any MediaLine] = []
    private var work = LineWork()
    /// Which of their sources belongs to which line.
    private var sources: [UInt32: Int] = [:]

    /// As many as SRTP remembers.
    private static let maximumSources = 64

    init(_ settings: PeerSettings) {
        self.settings = settings
    }

    var statistics: [CallStatistics.Line] { self.lines.map(\.statistics) }
    var roundTrip: Duration? { self.work.reporter?.roundTrip }

    var hasEvents: Bool { !self.work.events.isEmpty }

    mutating func takeEvents() -> [PeerEvent] {
        defer { self.work.events.removeAll(keepingCapacity: true) }
        return self.work.events
    }

    // MARK: - What was agreed on

    /// Opens what may flow from now on, and closes what may not.
    mutating func carryOut(
        _ transceivers: [Transceiver], random: inout any RandomNumberGenerator & Sendable
    ) {
        for transceiver in transceivers {
            let index = self.index(of: transceiver)
            let line = self.lines[index]
            line.place.mediaID = transceiver.mediaID?.value
            line.place.sends = transceiver.sends
            if let extensions = transceiver.receiving?.extensions { line.place.extensions = extensions }
            line.open(transceiver, random: &random)
            self.setReceiving(transceiver.receives, line)
            for source in transceiver.remoteSources where self.sources.count < Self.maximumSources {
                self.sources[source] = index
            }
        }
    }

    private mutating func index(of transceiver: Transceiver) -> Int {
        if let index = self.lines.firstIndex(where: { $0.place.transceiver == transceiver.index }) { return index }
        switch transceiver.kind {
        case .audio: self.lines.append(AudioLine(transceiver, self.settings.sound))
        case .video: self.lines.append(VideoLine(transceiver, self.settings.video ?? VideoSettings()))
        }
        return self.lines.count - 1
    }

    private mutating func setReceiving(_ receives: Bool, _ line: any MediaLine) {
        guard receives != line.place.receives else { return }
        line.place.receives = receives
        let transceiver = line.place.transceiver
        self.work.events.append(receives ? .track(transceiver: transceiver) : .trackEnded(transceiver: transceiver))
    }

    var hasReports: Bool { self.work.reporter != nil }

    /// Reports begin when there is a peer to read them.
    mutating func openReports(_ first: Transceiver, seed: UInt64, at now: Instant) {
        var settings = MediaReporterSettings(ssrc: first.ssrc, cname: self.settings.canonicalName)
        // Only for packets that have a number of the transport, which both sides have to have agreed on.
        settings.sendsTransportFeedback = true
        settings.sendsExtendedReports = first.sending?.hasExtendedReports == true
        settings.seed = seed
        settings.clockStart = self.settings.clockStart
        if self.settings.video != nil {
            settings.maximumEstimate = 10_000_000
            settings.sentPacketsKept = 2048
        }
        self.work.reporter = MediaReporter(settings, at: now)
    }

    // MARK: - What comes

    /// - Returns: a source that has left for good.
    mutating func received(_ packet: Span<UInt8>, isRTCP: Bool, at now: Instant) -> UInt32? {
        if isRTCP { return self.receivedReports(packet, at: now) }
        if let packet = try? RTPPacket(parsing: packet) { self.received(packet, at: now) }
        return nil
    }

    private mutating func received(_ packet: borrowing RTPPacket, at now: Instant) {
        guard let index = self.index(for: packet) else { return }
        let line = self.lines[index]
        let place = line.place
        guard place.receives else { return }
        self.work.reporter?.received(packet, numbered: place.extensions.transportSequence, at: now)
        if !place.hasHeard {
            line.place.hasHeard = true
            self.work.events.append(.heard(transceiver: place.transceiver))
        }
        line.received(packet, at: now, &self.work)
    }

    /// Which line a packet is for: its sender is known, or its section is named, or there is only one it can be for
    /// (RFC 9143 §9.2).
    private mutating func index(for packet: borrowing RTPPacket) -> Int? {
        if let index = self.sources[packet.header.ssrc] { return index }
        guard let index = self.named(packet) ?? self.only(packet.header.payloadType) else { return nil }
        if self.sources.count >= Self.maximumSources { self.sources.removeAll(keepingCapacity: true) }
        self.sources[packet.header.ssrc] = index
        return index
    }

    private func named(_ packet: borrowing RTPPacket) -> Int? {
        for (index, line) in self.lines.enumerated() {
            guard let id = line.place.extensions.mediaID, let name = packet.mediaID(id) else { continue }
            if let known = line.place.mediaID, name.isEqual(to: known.utf8) { return index }
        }
        return nil
    }

    private func only(_ payloadType: UInt8) -> Int? {
        let possible = self.lines.indices.filter {
            self.lines[$0].place.receives && self.lines[$0].accepts(payloadType)
        }
        return possible.count == 1 ? possible[0] : nil
    }

    private mutating func receivedReports(_ bytes: Span<UInt8>, at now: Instant) -> UInt32? {
        var gone: UInt32?
        self.work.reporter?.received(bytes, at: now)
        while let event = self.work.reporter?.nextEvent() {
            switch event {
            case .report, .feedback, .quality: for line in self.lines { line.received(event, at: now, &self.work) }
            case .missing(_, let ssrc), .keyFrameRequest(_, let ssrc):
                self.lines.first { $0.place.ssrc == ssrc }?.received(event, at: now, &self.work)
            case .goodbye(let source): gone = self.left(source) ? source : gone
            }
        }
        return gone
    }

    /// A source of theirs has left. With pictures alone it has not: a camera that is turned off says so as well.
    private mutating func left(_ source: UInt32) -> Bool {
        guard let index = self.sources.removeValue(forKey: source) else { return false }
        if self.lines[index].place.kind == .audio || self.sources.isEmpty { self.work.events.append(.goodbye) }
        return true
    }

    // MARK: - Lines of a kind

    /// A line that sends sound by now.
    func speaker(on transceiver: Int) -> AudioLine? {
        self.audio(on: transceiver).flatMap { $0.place.sends ? $0 : nil }
    }

    func audio(on transceiver: Int) -> AudioLine? { self.line(on: transceiver) as? AudioLine }

    func video(on transceiver: Int) -> VideoLine? { self.line(on: transceiver) as? VideoLine }

    private func line(on transceiver: Int) -> (any MediaLine)? {
        self.lines.first { $0.place.transceiver == transceiver }
    }

    /// What comes next of theirs; silence where nothing is received.
    mutating func pull(into sound: inout MutableSpan<Float>, on transceiver: Int, at now: Instant) {
        guard let line = self.audio(on: transceiver) else {
            for index in sound.indices { sound[index] = 0 }
            return
        }
        line.pull(into: &sound, at: now, events: &self.work.events)
    }

    var isDialling: Bool { self.lines.contains { ($0 as? AudioLine)?.isDialling == true } }

    /// Lets a line do something, and gives it a place for what it wants.
    mutating func withWork<Result>(_ body: (inout LineWork) -> Result) -> Result { body(&self.work) }

    // MARK: - Time

    /// What time alone brings: keys, reports, requests, packets that need not be waited for any longer.
    mutating func clockAdvanced(to now: Instant) {
        for line in self.lines { line.clockAdvanced(to: now, &self.work) }
        if self.work.reporter?.isReportDue(at: now) == true {
            let report = self.makeReport(at: now)
            self.work.reporter?.report(report, at: now, into: &self.work.outbox)
        }
        self.work.reporter?.clockAdvanced(to: now, into: &self.work.outbox)
    }

    mutating func sayGoodbye(at now: Instant) {
        let report = self.makeReport(at: now)
        self.work.reporter?.goodbye(report, at: now, into: &self.work.outbox)
    }

    private func makeReport(at now: Instant) -> MediaReport {
        var report = MediaReport()
        for line in self.lines { line.report(into: &report, roundTrip: self.roundTrip, at: now) }
        return report
    }

    mutating func findDeadline() -> Instant? {
        var earliest = self.work.reporter?.findDeadline()
        for line in self.lines { earliest = .earlier(earliest, line.findDeadline()) }
        return earliest
    }

    // MARK: - What leaves

    /// Protects what waits where it lies, and puts it on the path.
    mutating func flush(
        _ transport: inout SecureTransport, _ agent: inout ICEAgent, tap: (any PacketTap)?, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        guard !self.work.outbox.isEmpty else { return }
        self.work.reporter?.sent(self.work.outbox, at: now)
        let lines = self.lines
        self.work.outbox.forEach { packet, bytes, count in
            guard packet.kind != .srtp else {
                agent.send(bytes.span.extracting(first: count), at: now, into: &outbox)
                return
            }
            if let tap, let way = agent.way {
                tap.passed(
                    bytes.span.extracting(first: count), from: agent.address(of: way.path), to: way.remote, at: now)
            }
            let isRTCP = packet.kind == .rtcp
            guard let length = transport.protect(&bytes, count: count, isRTCP: isRTCP) else { return }
            let secret = bytes.span.extracting(first: length)
            if packet.isKept { lines.first { $0.place.ssrc == secret.bigEndian(at: 8) }?.keep(secret, at: now) }
            agent.send(secret, at: now, into: &outbox)
        }
        self.work.outbox.removeAll()
    }
}

extension Span where Element == UInt8 {
    fileprivate func isEqual(to text: String.UTF8View) -> Bool {
        self.count == text.count && zip(self.indices, text).allSatisfy { self[$0] == $1 }
    }
}
