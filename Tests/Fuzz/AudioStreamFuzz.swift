import AudioStreams
import MediaStreams
import RTP
import Vocabulary

/// A stream of packets, each behind a byte that says how long it is and one that says how much later it came: whatever they
/// are, sound comes out at its pace, and packets are lent in their order.
enum AudioReceiverFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        var settings = AudioReceiverSettings()
        settings.payloadTypes = AudioPayloadTypes(opus: 111, red: 63, telephoneEvent: 110)
        settings.extensions = RTPExtensionIDs(audioLevel: 1, mediaID: 4, transportSequence: 3)
        settings.lendsPayloads = true
        var receiver = AudioReceiver(settings)
        var sound = [Float](repeating: 0, count: 480)
        var now: Int64 = 0
        var position = Int64.min
        StreamOfPackets.walk(input) { bytes, later in
            now += Int64(later) * 1_000_000
            let instant = Instant(nanoseconds: now)
            if let packet = try? RTPPacket(parsing: bytes.span) { receiver.received(packet, at: instant) }
            var span = sound.mutableSpan
            receiver.pull(into: &span, at: instant)
            while let event = receiver.nextEvent() { if case .restarted = event { position = .min } }
            while let payload = receiver.nextPayload(at: instant) {
                demand(payload.position >= position, "a payload before the one before it")
                demand(payload.gap >= 0 && payload.duration > 0, "time that runs backwards")
                position = payload.position
                receiver.recycle(payload)
            }
            _ = receiver.takeReport()
        }
        let statistics = receiver.statistics
        demand(statistics.concealedSamples <= statistics.totalSamplesReceived + 5760, "more made up than played")
        demand(receiver.delay < .seconds(60), "a wait of \(receiver.delay)")
    }
}

/// Datagrams of RTCP in the same form, from another end that says whatever it likes.
enum MediaReporterFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        var settings = MediaReporterSettings(ssrc: 7, cname: "fuzz")
        settings.sendsTransportFeedback = true
        settings.sendsExtendedReports = true
        var reporter = MediaReporter(settings, at: Instant(nanoseconds: 0))
        var sender = AudioSender(AudioSenderSettings(ssrc: 7))
        var outbox = MediaOutbox()
        var now: Int64 = 0
        let opus: [UInt8] = [0x78, 1, 2, 3]
        StreamOfPackets.walk(input) { bytes, later in
            now += Int64(later) * 1_000_000
            let instant = Instant(nanoseconds: now)
            sender.forward(opus.span, duration: 960, at: instant, into: &outbox)
            reporter.sent(outbox, at: instant)
            if let packet = try? RTPPacket(parsing: bytes.span) {
                reporter.received(packet, numbered: 3, at: instant)
            } else {
                reporter.received(bytes.span, at: instant)
            }
            while let event = reporter.nextEvent() { self.take(event, &sender, at: instant) }
            if reporter.isReportDue(at: instant) {
                reporter.report(
                    MediaReport(senders: [sender.senderReport(at: instant)].compactMap(\.self)), at: instant,
                    into: &outbox)
            }
            reporter.clockAdvanced(to: instant, into: &outbox)
            outbox.removeAll()
        }
        demand((12_000...24_000).contains(sender.statistics.targetBitrate), "a rate that nobody may ask for")
        demand((0...2).contains(sender.statistics.redundancy), "copies without end")
    }

    private static func take(_ event: MediaReporterEvent, _ sender: inout AudioSender, at now: Instant) {
        switch event {
        case .report(let report): sender.received(report: report, at: now)
        case .feedback(let estimate): sender.received(feedback: estimate, at: now)
        case .quality, .goodbye, .missing, .keyFrameRequest: break
        }
    }
}

private enum StreamOfPackets {
    static func walk(_ input: [UInt8], _ body: (_ bytes: [UInt8], _ later: UInt8) -> Void) {
        var rest = input[...]
        while rest.count >= 2 {
            let (count, later) = (Int(rest[rest.startIndex]), rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            body([UInt8](rest.prefix(count)), later)
            rest = rest.dropFirst(count)
        }
    }
}
