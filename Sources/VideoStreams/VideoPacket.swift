/// What is known of a packet of pictures that is passed on: what its header said, without the sender's own numbers.
package struct VideoPacketHeader: Hashable, Sendable {
    /// Which stream of its receiver it belongs to: another number is another stream, whose numbers begin anew.
    package let stream: UInt64
    /// Without turns around the circle.
    package let sequence: Int64
    package let timestamp: UInt32
    /// The last of its picture.
    package let isMarked: Bool
    package let codec: VideoCodec
    package let startsKeyFrame: Bool

    package init(
        stream: UInt64, sequence: Int64, timestamp: UInt32, isMarked: Bool, codec: VideoCodec, startsKeyFrame: Bool
    ) {
        self.stream = stream
        self.sequence = sequence
        self.timestamp = timestamp
        self.isMarked = isMarked
        self.codec = codec
        self.startsKeyFrame = startsKeyFrame
    }
}

/// A packet of pictures that is lent, to be sent on elsewhere.
package struct VideoPacket: Hashable, Sendable {
    package let header: VideoPacketHeader
    package let payload: [UInt8]

    package init(header: VideoPacketHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }
}
