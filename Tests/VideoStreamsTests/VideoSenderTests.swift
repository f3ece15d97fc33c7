import Bytes
import MediaStreams
import RTP
import Testing
import VideoStreams
import Vocabulary

@Suite("A sender of pictures")
struct VideoSenderTests {
    private static func sender() -> VideoSender {
        var settings = VideoSenderSettings(ssrc: 7)
        settings.mid = "1"
        settings.payloadTypes = [VideoPayloadType(120, .vp8)]
        settings.extensions = RTPExtensionIDs(mediaID: 4, transportSequence: 3)
        settings.firstSequence = 65_535
        settings.firstTimestamp = 1000
        return VideoSender(settings)
    }

    private static func header(
        _ sequence: Int64, stream: UInt64 = 1, isKeyFrame: Bool = false, codec: VideoCodec = .vp8
    ) -> VideoPacketHeader {
        VideoPacketHeader(
            stream: stream, sequence: sequence, timestamp: UInt32(truncatingIfNeeded: 3000 * sequence),
            isMarked: sequence.isMultiple(of: 2), codec: codec, startsKeyFrame: isKeyFrame)
    }

    /// The packets that leave, which are kept as if they had been made secret.
    private static func leave(_ sender: inout VideoSender, _ outbox: inout MediaOutbox, at time: Int) throws
        -> [RTPHeader]
    {
        defer { outbox.removeAll() }
        return try outbox.packets.map { packet in
            try outbox.withBytes(of: packet) { bytes in
                if packet.isKept { sender.keep(bytes, at: Instant(milliseconds: Int64(time))) }
                return try RTPPacket(parsing: bytes).header
            }
        }
    }

    private static func forward(_ sender: inout VideoSender, _ headers: [VideoPacketHeader], at time: Int = 0) throws
        -> [RTPHeader]
    {
        var outbox = MediaOutbox()
        let payload: [UInt8] = [0x10, 0, 1]
        for header in headers {
            sender.forward(header, payload.span, at: Instant(milliseconds: Int64(time)), into: &outbox)
        }
        return try self.leave(&sender, &outbox, at: time)
    }

    @Test("J15 begins with a key frame, under numbers of its own, and keeps gaps and marks")
    func numbers() throws {
        var sender = Self.sender()
        #expect(sender.needsKeyFrame == true)
        let sent = try Self.forward(
            &sender,
            [Self.header(98), Self.header(100, isKeyFrame: true), Self.header(101), Self.header(104), Self.header(99)])
        #expect(sent.map(\.sequenceNumber) == [65_535, 0, 3])
        #expect(sent.map(\.timestamp) == [1000, 4000, 13_000])
        #expect(sent.map(\.isMarked) == [true, false, true])
        #expect(sent.allSatisfy { $0.ssrc == 7 && $0.payloadType == 120 })
        #expect(sender.needsKeyFrame == false)
        // What was missing comes late, and goes to its place.
        #expect(try Self.forward(&sender, [Self.header(102)]).map(\.sequenceNumber) == [1])
        #expect(sender.statistics.packetsSent == 4 && sender.statistics.keyFramesSent == 1)
    }

    @Test("J15 goes on behind its last number and its clock when another stream takes the place, from a key frame on")
    func replacement() throws {
        var sender = Self.sender()
        _ = try Self.forward(&sender, [Self.header(100, isKeyFrame: true), Self.header(101)])
        #expect(try Self.forward(&sender, [Self.header(5, stream: 2)], at: 500).isEmpty)
        let sent = try Self.forward(&sender, [Self.header(6, stream: 2, isKeyFrame: true)], at: 1000)
        #expect(sent.map(\.sequenceNumber) == [1] && sent.map(\.timestamp) == [4000 + 90_000])
        sender.pause()
        #expect(try Self.forward(&sender, [Self.header(7, stream: 2)], at: 1100).isEmpty)
    }

    @Test("J15 sends nothing in a codec that was not agreed on")
    func otherCodec() throws {
        var sender = Self.sender()
        #expect(try Self.forward(&sender, [Self.header(1, isKeyFrame: true, codec: .h264)]).isEmpty)
    }

    @Test("J15.repair sends a packet again as it was, at most once in a round trip, and none that it does not have")
    func repetition() throws {
        var sender = Self.sender()
        var outbox = MediaOutbox()
        let payload: [UInt8] = [0x10, 0, 1]
        sender.forward(Self.header(100, isKeyFrame: true), payload.span, at: Instant(milliseconds: 0), into: &outbox)
        let original = outbox.packets.map { packet in outbox.withBytes(of: packet) { [UInt8](copying: $0) } }
        _ = try Self.leave(&sender, &outbox, at: 0)
        for time in 0..<200 {
            sender.received(
                missing: [65_535, 65_535, 9], roundTrip: .milliseconds(50), at: Instant(milliseconds: Int64(time)),
                into: &outbox)
        }
        #expect(outbox.packets.map(\.kind) == [.srtp, .srtp, .srtp])
        let again = outbox.packets.map { packet in outbox.withBytes(of: packet) { [UInt8](copying: $0) } }
        #expect(again == [original[0], original[0], original[0]])
        #expect(sender.statistics.retransmittedPacketsSent == 3 && sender.statistics.nackCount == 200)
    }

    @Test("J15 forgets packets after 512 others")
    func capacity() throws {
        var sender = Self.sender()
        var outbox = MediaOutbox()
        for index in 0..<600 {
            _ = try Self.forward(&sender, [Self.header(Int64(index), isKeyFrame: index == 0)], at: index)
        }
        let numbers = (0..<600).map { UInt16(truncatingIfNeeded: 65_535 + $0) }
        sender.received(missing: numbers, roundTrip: nil, at: Instant(milliseconds: 2000), into: &outbox)
        #expect(outbox.packets.count == 512)
    }
}
