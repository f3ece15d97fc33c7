package import AudioStreams
internal import Bytes
package import ICE
internal import Negotiating
internal import RTP
internal import SDP
package import Vocabulary

// The sound of the call: packets to and from the lines, reports about them, and what is spoken and heard.

// MARK: - What was agreed on

extension CallSession {
    /// Opens what may flow from now on, and closes what may not.
    mutating func carryOutTransceivers(at now: Instant) {
        for transceiver in self.negotiation.transceivers {
            let place = self.place(of: transceiver.index)
            if transceiver.sends, let format = transceiver.sending { self.openSender(place, transceiver, format) }
            if transceiver.receives, let format = transceiver.receiving { self.openReceiver(place, format) }
            self.lines[place].sends = transceiver.sends
            self.setReceiving(transceiver.receives, place)
            for source in transceiver.remoteSources where self.sources.count < Self.mostSources {
                self.sources[source] = place
            }
        }
    }

    /// One that is there goes on with what was agreed on now: its numbers must not begin anew under the same keys.
    private mutating func openSender(_ place: Int, _ transceiver: Transceiver, _ format: AudioFormat) {
        let settings = AudioSenderSettings(transceiver, format, self.settings.sound, random: &self.random)
        if self.lines[place].sender == nil {
            self.lines[place].sender = AudioSender(settings)
        } else {
            self.lines[place].sender?.change(settings)
        }
    }

    private mutating func openReceiver(_ place: Int, _ format: AudioFormat) {
        let settings = AudioReceiverSettings(format, self.settings.sound)
        if self.lines[place].receiver == nil {
            self.lines[place].receiver = AudioReceiver(settings)
        } else {
            self.lines[place].receiver?.change(settings)
        }
        self.lines[place].transportSequence = format.transportSequence
    }

    private mutating func place(of transceiver: Int) -> Int {
        if let place = self.lines.firstIndex(where: { $0.transceiver == transceiver }) { return place }
        self.lines.append(SoundLine(transceiver))
        return self.lines.count - 1
    }

    private mutating func setReceiving(_ receives: Bool, _ place: Int) {
        guard receives != self.lines[place].receives else { return }
        self.lines[place].receives = receives
        let transceiver = self.lines[place].transceiver
        self.events.append(receives ? .track(transceiver: transceiver) : .trackEnded(transceiver: transceiver))
    }

    /// Reports begin when there is somebody to read them.
    mutating func openReports(at now: Instant) {
        guard self.reporter == nil, self.transport.isOpen, let first = self.negotiation.transceivers.first else {
            return
        }
        var settings = MediaReporterSettings(ssrc: first.ssrc, cname: self.settings.canonicalName)
        settings.sendsTransportFeedback = first.receiving?.transportSequence != nil
        settings.sendsExtendedReports = first.sending?.hasExtendedReports == true
        settings.seed = self.random.next()
        settings.clockStart = self.settings.clockStart
        self.reporter = MediaReporter(settings, at: now)
    }
}

// MARK: - What comes

extension CallSession {
    mutating func receivedMedia(
        _ packet: Span<UInt8>, on path: PathID, from peer: SocketAddress, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) -> Bool {
        guard packet.count > 1, packet.count <= Self.longestPacket else { return false }
        // RFC 5761 §4.
        let isRTCP = (192...223).contains(packet[1])
        // Out of the house while it is read.
        var buffer = self.buffer
        self.buffer = []
        defer { self.buffer = buffer }
        buffer.removeAll(keepingCapacity: true)
        buffer.append(copying: packet)
        var span = buffer.mutableSpan
        guard let count = self.transport.open(&span, isRTCP: isRTCP) else { return false }
        let plain = buffer.span.extracting(first: count)
        self.tap?.passed(plain, from: peer, to: self.agent.address(of: path), at: now)
        if isRTCP {
            self.receivedReports(plain, at: now)
        } else {
            self.receivedSound(plain, at: now)
        }
        self.flush(at: now, into: &outbox)
        return true
    }

    private mutating func receivedSound(_ bytes: Span<UInt8>, at now: Instant) {
        guard let packet = try? RTPPacket(parsing: bytes), let place = self.line(for: packet) else { return }
        // A copy of the line would make everything in it be copied when the packet changes it.
        guard self.lines[place].receives else { return }
        self.reporter?.received(packet, transportCC: self.lines[place].transportSequence, at: now)
        self.lines[place].receiver?.received(packet, at: now)
        if !self.lines[place].hasHeard {
            self.lines[place].hasHeard = true
            self.events.append(.heard(transceiver: self.lines[place].transceiver))
        }
        self.takeSoundEvents(place)
        if self.settings.sound.echoes { self.echo(place, at: now) }
    }

    /// Which line a packet is for: its sender is known, or its section is named, or there is only one it can be for
    /// (RFC 9143 §9.2).
    private mutating func line(for packet: borrowing RTPPacket) -> Int? {
        if let place = self.sources[packet.header.ssrc] { return place }
        guard let place = self.named(packet) ?? self.onlyLine(packet.header.payloadType) else { return nil }
        if self.sources.count >= Self.mostSources { self.sources.removeAll(keepingCapacity: true) }
        self.sources[packet.header.ssrc] = place
        return place
    }

    private func named(_ packet: borrowing RTPPacket) -> Int? {
        for (place, line) in self.lines.enumerated() {
            guard let id = line.receiver?.settings.extensions.mid, let name = packet.mediaID(id) else { continue }
            let known = self.negotiation.transceivers.first { $0.index == line.transceiver }?.mediaID?.value
            if let known, name.isEqual(to: known.utf8) { return place }
        }
        return nil
    }

    private func onlyLine(_ payloadType: UInt8) -> Int? {
        let possible = self.lines.indices.filter { place in
            guard self.lines[place].receives, let types = self.lines[place].receiver?.settings.payloadTypes else {
                return false
            }
            return [types.opus, types.red, types.telephoneEvent].contains(payloadType)
        }
        return possible.count == 1 ? possible[0] : nil
    }

    private mutating func takeSoundEvents(_ place: Int) {
        while let event = self.lines[place].receiver?.nextEvent() {
            if case .key(let key, let duration) = event {
                self.events.append(.key(key, duration, transceiver: self.lines[place].transceiver))
            }
        }
    }

    private mutating func receivedReports(_ bytes: Span<UInt8>, at now: Instant) {
        self.reporter?.received(bytes, at: now)
        while let event = self.reporter?.nextEvent() {
            for place in self.lines.indices {
                switch event {
                case .report(let report): self.lines[place].sender?.received(report: report, at: now)
                case .feedback(let feedback): self.lines[place].sender?.received(feedback: feedback, at: now)
                case .quality, .goodbye: break
                }
            }
            if case .goodbye(let source) = event { self.left(source) }
        }
    }

    private mutating func left(_ source: UInt32) {
        guard self.sources.removeValue(forKey: source) != nil else { return }
        self.transport.forget(source)
        self.events.append(.goodbye)
    }

    /// Back as it came.
    private mutating func echo(_ place: Int, at now: Instant) {
        while let payload = self.lines[place].receiver?.nextPayload(at: now) {
            if self.lines[place].sends {
                self.lines[place].sender?.forward(
                    payload.bytes.span, duration: payload.duration, gap: payload.gap, at: now, into: &self.media)
            }
            if self.settings.sound.lendsPayloads {
                self.lines[place].keep(payload)
            } else {
                self.lines[place].receiver?.recycle(payload)
            }
        }
        if !self.lines[place].echoed.isEmpty { self.events.append(.payloadsWaiting) }
    }
}

// MARK: - What leaves

extension CallSession {
    /// Sound of ours, 48 kHz; whole packets of it leave at once.
    package mutating func speak(
        _ sound: Span<Float>, on transceiver: Int = 0, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) {
        guard let place = self.openPlace(transceiver) else { return }
        // Whoever takes one channel is sent one, whatever is spoken here.
        if self.settings.sound.isStereo, self.lines[place].sender?.settings.isStereo == false {
            let mixed = (0..<(sound.count / 2)).map { (sound[2 * $0] + sound[2 * $0 + 1]) / 2 }
            self.lines[place].sender?.speak(mixed.span, at: now, into: &self.media)
        } else {
            self.lines[place].sender?.speak(sound, at: now, into: &self.media)
        }
        self.flush(at: now, into: &outbox)
    }

    /// A packet of Opus as it is.
    package mutating func forward(
        _ opus: Span<UInt8>, duration: Int, on transceiver: Int = 0, at now: Instant,
        into outbox: inout Outbox<ICEEvent>
    ) {
        guard let place = self.openPlace(transceiver) else { return }
        self.lines[place].sender?.forward(opus, duration: duration, at: now, into: &self.media)
        self.flush(at: now, into: &outbox)
    }

    /// How many keys will be heard: none where the other side does not know them, or nothing is sent.
    package mutating func press(
        _ keys: String, on transceiver: Int = 0, at now: Instant, into outbox: inout Outbox<ICEEvent>
    ) -> Int {
        guard let place = self.openPlace(transceiver) else { return 0 }
        let count = self.lines[place].sender?.press(keys) ?? 0
        self.lines[place].sender?.clockAdvanced(to: now, into: &self.media)
        self.flush(at: now, into: &outbox)
        return count
    }

    package var isDialling: Bool { self.lines.contains { $0.sender?.isDialling == true } }

    private func openPlace(_ transceiver: Int) -> Int? {
        guard self.transport.isOpen else { return nil }
        return self.lines.firstIndex { $0.transceiver == transceiver && $0.sends && $0.sender != nil }
    }

    /// What comes next of theirs, mostly ten milliseconds; silence where nothing is received.
    package mutating func pull(into sound: inout MutableSpan<Float>, on transceiver: Int = 0, at now: Instant) {
        guard let place = self.lines.firstIndex(where: { $0.transceiver == transceiver }),
            self.lines[place].receiver?.settings.isPlayed == true
        else {
            for index in sound.indices { sound[index] = 0 }
            return
        }
        self.lines[place].receiver?.pull(into: &sound, at: now)
        self.takeSoundEvents(place)
    }

    /// Theirs as it came, in its order.
    package mutating func nextPayload(on transceiver: Int = 0, at now: Instant) -> AudioPayload? {
        guard let place = self.lines.firstIndex(where: { $0.transceiver == transceiver }) else { return nil }
        if self.settings.sound.echoes { return self.lines[place].takeEchoed() }
        return self.lines[place].receiver?.nextPayload(at: now)
    }

    package mutating func recycle(_ payload: AudioPayload, on transceiver: Int = 0) {
        guard let place = self.lines.firstIndex(where: { $0.transceiver == transceiver }) else { return }
        self.lines[place].receiver?.recycle(payload)
    }

    /// What time alone brings: keys, reports, packets that need not be waited for any longer.
    mutating func advanceMedia(to now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.transport.isOpen else { return }
        for place in self.lines.indices {
            self.lines[place].sender?.clockAdvanced(to: now, into: &self.media)
            guard let deadline = self.lines[place].payloadDeadline, deadline <= now else { continue }
            if self.settings.sound.echoes { self.echo(place, at: now) } else { self.events.append(.payloadsWaiting) }
        }
        if self.reporter?.isReportDue(at: now) == true {
            let report = self.makeReport(at: now)
            self.reporter?.report(report, at: now, into: &self.media)
        }
        self.reporter?.clockAdvanced(to: now, into: &self.media)
        self.flush(at: now, into: &outbox)
    }

    mutating func sayGoodbye(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard self.transport.isOpen else { return }
        let report = self.makeReport(at: now)
        self.reporter?.goodbye(report, at: now, into: &self.media)
        self.flush(at: now, into: &outbox)
    }

    private mutating func makeReport(at now: Instant) -> MediaReport {
        var receptions: [RTCPReport] = []
        var qualities: [RTCPCallQuality] = []
        let roundTrip = self.reporter?.roundTrip
        for place in self.lines.indices {
            if let report = self.lines[place].receiver?.takeReport() { receptions.append(report) }
            if let quality = self.lines[place].receiver?.quality(roundTrip: roundTrip) { qualities.append(quality) }
        }
        let sender = self.lines.first { $0.sends }?.sender?.senderInfo(at: now)
        return MediaReport(sender: sender, receptions: receptions, qualities: qualities)
    }

    /// Protects what waits where it lies, and puts it on the path.
    private mutating func flush(at now: Instant, into outbox: inout Outbox<ICEEvent>) {
        guard !self.media.isEmpty else { return }
        self.reporter?.sent(self.media, at: now)
        // Out of the house while it is sent.
        var media = MediaOutbox()
        swap(&media, &self.media)
        media.forEach { packet, bytes, count in
            let isRTCP = packet.kind == .rtcp
            if let tap = self.tap, let way = self.agent.way {
                let here = self.agent.address(of: way.path)
                tap.passed(bytes.span.extracting(first: count), from: here, to: way.remote, at: now)
            }
            _ = self.transport.send(&bytes, count: count, isRTCP: isRTCP, &self.agent, at: now, into: &outbox)
        }
        media.removeAll()
        swap(&media, &self.media)
    }

    mutating func findMediaDeadline() -> Instant? {
        guard self.transport.isOpen else { return nil }
        var earliest = self.reporter?.findDeadline()
        for line in self.lines { earliest = .earlier(earliest, line.deadline) }
        return earliest
    }
}

extension Span where Element == UInt8 {
    fileprivate func isEqual(to text: String.UTF8View) -> Bool {
        self.count == text.count && zip(self.indices, text).allSatisfy { self[$0] == $1 }
    }
}

extension MediaReporter {
    /// Where it lies: see `ICEMachine.findDeadline`.
    fileprivate mutating func findDeadline() -> Instant { self.deadline }
}
