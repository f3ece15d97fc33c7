import Bytes
import RTP

/// Whatever comes, nothing that a packet shows lies outside of it, and its payload may be read as anything.
enum RTPFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        self.redundancy(input)
        _ = try? TelephoneEvent(parsing: input.span).key
        guard let packet = try? RTPPacket(parsing: input.span) else { return }
        demand(packet.payloadRange.upperBound <= input.count, "a payload outside")
        for index in 0..<packet.sourceCount { _ = packet.source(at: index) }
        for id: UInt8 in 0...255 {
            guard let range = packet.range(of: id) else { continue }
            demand(range.upperBound <= packet.payloadRange.lowerBound, "an extension in the payload")
            _ = (packet.audioLevel(id), packet.transportSequence(id))
        }
        self.redundancy([UInt8](copying: packet.payload))
        self.rewrite(packet)
    }

    private static func redundancy(_ bytes: [UInt8]) {
        guard var payload = try? REDPayload(parsing: bytes.span) else { return }
        var end: Int?
        while let block = payload.next() {
            demand(end == nil || end == block.range.lowerBound, "blocks with a gap")
            end = block.range.upperBound
        }
        demand(end == bytes.count, "bytes of nobody")
    }

    private static func rewrite(_ packet: borrowing RTPPacket) {
        var writer = ByteWriter()
        packet.header.write(sources: (0..<packet.sourceCount).map { packet.source(at: $0) }, to: &writer)
        writer.write(packet.payload)
        guard let again = try? RTPPacket(parsing: writer.bytes.span) else {
            return demand(false, "cannot be read again")
        }
        demand(again.header == packet.header, "a header changed")
        demand(again.payload.hasSameBytes(as: packet.payload), "a payload changed")
    }
}

/// Whatever comes, a datagram of RTCP is refused as a whole or can be read to its end.
enum RTCPFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        guard var datagram = try? RTCPDatagram(parsing: input.span) else { return }
        var length = 0
        while let packet = datagram.next() {
            length += packet.bytes.count
            self.walk(packet)
            guard let feedback = TransportWideFeedback(packet) else { continue }
            var count = 0
            feedback.forEach { _, _ in count += 1 }
            demand(count == feedback.packetCount, "feedback about others than it says")
        }
        demand(length <= input.count, "packets beyond the datagram")
    }

    private static func walk(_ packet: borrowing RTCPPacket) {
        _ = (packet.ssrc, packet.mediaSSRC, packet.senderInfo, packet.bandwidthEstimate, packet.receiverTime)
        let length = packet.bytes.count
        packet.forEachReport { demand((-0x80_0000...0x7F_FFFF).contains($0.lost), "a loss of more than 24 bits") }
        packet.forEachDescription { demand($0.range.upperBound <= length, "a text outside") }
        packet.forEachMissing { _ in }
        packet.forEachFullIntra { _, _ in }
        packet.forEachTimeEcho { _ in }
        packet.forEachCallQuality { _ in }
        packet.forEachGoodbye { _ in }
    }
}
