internal import Vocabulary

/// What became of a stream that is sent: the names are those of the web's `outbound-rtp` and `remote-inbound-rtp` where
/// these have any.
package struct OutboundStatistics: Hashable, Sendable {
    package var packetsSent: UInt64 = 0
    /// Of payload, without headers and padding.
    package var bytesSent: UInt64 = 0
    package var headerBytesSent: UInt64 = 0
    /// Packets of pictures that were asked for again; sound has copies in later packets instead.
    package var retransmittedPacketsSent: UInt64 = 0
    package var retransmittedBytesSent: UInt64 = 0
    /// What the other side asked for: packets again, and key frames in two ways.
    package var nackCount: UInt64 = 0
    package var pliCount: UInt64 = 0
    package var firCount: UInt64 = 0
    package var framesSent: UInt64 = 0
    package var keyFramesSent: UInt64 = 0
    /// Of `bytesSent`, those of earlier packets' copies.
    package var redundantBytesSent: UInt64 = 0
    package var keysSent: UInt64 = 0
    /// In bit/s of Opus alone.
    package var targetBitrate = 0
    /// How many earlier packets travel with each.
    package var redundancy = 0
    package var isFECActive = false
    /// Of what was spoken: 1 is full scale.
    package var audioLevel = 0.0
    package var totalAudioEnergy = 0.0
    package var totalSamplesDuration = Duration.zero

    // What the other side says.

    package var fractionLost = 0.0
    package var packetsLost: Int64 = 0
    package var jitter = Duration.zero
    package var roundTripTime: Duration?
    package var totalRoundTripTime = Duration.zero
    package var roundTripTimeMeasurements: UInt64 = 0

    package init() {}

    /// What the other side reports of the stream.
    package mutating func received(_ report: RemoteReport, _ clock: MediaClock) {
        self.fractionLost = report.fractionLost
        self.packetsLost = report.packetsLost
        self.jitter = clock.duration(of: Int64(report.jitter))
        guard let roundTrip = report.roundTrip else { return }
        self.roundTripTime = roundTrip
        self.totalRoundTripTime += roundTrip
        self.roundTripTimeMeasurements += 1
    }
}
