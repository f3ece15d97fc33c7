import Bytes
import MediaStreams
import RTP
import VideoStreams
import Vocabulary

/// A receiver, and the reports in which it asks for what it wants.
struct ReceiverStage: ~Copyable {
    var receiver: VideoReceiver
    var reporter: MediaReporter?
    var outbox = MediaOutbox()

    /// What was asked for, and when, in milliseconds.
    private(set) var missing: [(time: Int, numbers: [UInt16])] = []
    private(set) var keyFrames: [(time: Int, request: RTCPKeyFrameRequest)] = []

    init(_ change: (inout VideoReceiverSettings) -> Void = { _ in }) {
        var settings = VideoReceiverSettings()
        settings.payloadTypes = [VideoPayloadType(96, .vp8)]
        change(&settings)
        self.receiver = VideoReceiver(settings)
        self.reporter = MediaReporter(MediaReporterSettings(ssrc: 1, cname: "x"), at: Instant(milliseconds: 0))
    }

    @discardableResult
    mutating func take(
        _ sequence: UInt16, at time: Int, ssrc: UInt32 = 9, isKeyFrame: Bool = false, isMarked: Bool = true
    ) -> VideoPacketHeader? {
        var writer = ByteWriter()
        RTPHeader(
            payloadType: 96, sequenceNumber: sequence, timestamp: UInt32(sequence) * 3000, ssrc: ssrc,
            isMarked: isMarked
        ).write(to: &writer)
        writer.write(contentsOf: [0x10, isKeyFrame ? 0 : 1, 7])
        guard let packet = try? RTPPacket(parsing: writer.bytes.span) else { return nil }
        return self.receiver.received(packet, at: Instant(milliseconds: Int64(time)))
    }

    /// Comes back whenever the receiver says so.
    mutating func run(from start: Int, to end: Int) {
        for time in start..<end {
            let now = Instant(milliseconds: Int64(time))
            guard let deadline = self.receiver.deadline, deadline <= now else { continue }
            self.receiver.clockAdvanced(to: now, &self.reporter, into: &self.outbox)
            self.read(at: time)
        }
    }

    /// The other end's reporter says what it is asked for.
    private mutating func read(at time: Int) {
        var other = MediaReporter(MediaReporterSettings(ssrc: 9, cname: "y"), at: Instant(milliseconds: 0))
        for packet in self.outbox.packets {
            self.outbox.withBytes(of: packet) { other.received($0, at: Instant(milliseconds: Int64(time))) }
        }
        self.outbox.removeAll()
        while let event = other.nextEvent() {
            switch event {
            case .missing(let numbers, of: 9): self.missing.append((time, numbers))
            case .keyFrameRequest(let request, of: 9): self.keyFrames.append((time, request))
            default: break
            }
        }
    }
}
