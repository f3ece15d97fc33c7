/// What the other side says about one of our streams: a report of RTCP, with the time it took worked out.
package struct RemoteReport: Hashable, Sendable {
    package let ssrc: UInt32
    /// Since the report before, from 0 to 1.
    package let fractionLost: Double
    package let packetsLost: Int64
    /// In ticks of the stream's clock.
    package let jitter: UInt32
    package let roundTrip: Duration?

    package init(ssrc: UInt32, fractionLost: Double, packetsLost: Int64, jitter: UInt32, roundTrip: Duration?) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.packetsLost = packetsLost
        self.jitter = jitter
        self.roundTrip = roundTrip
    }
}

/// What is known of a transport from when its packets arrived.
package struct TransportEstimate: Hashable, Sendable {
    /// Of the packets that were told of this time.
    package let received: Int
    package let lost: Int
    /// Of these, right behind another that was lost.
    package let lostTogether: Int
    /// What goes through, in bit/s, headers of RTP and secrecy included.
    package let bitRate: Int
    /// Packets gather somewhere on the way.
    package let isCongested: Bool

    package init(received: Int, lost: Int, lostTogether: Int, bitRate: Int, isCongested: Bool) {
        self.received = received
        self.lost = lost
        self.lostTogether = lostTogether
        self.bitRate = bitRate
        self.isCongested = isCongested
    }
}
