/// What became of a stream that is sent: the names are those of the web's `outbound-rtp` and `remote-inbound-rtp` where
/// these have any.
package struct OutboundStatistics: Hashable, Sendable {
    package internal(set) var packetsSent: UInt64 = 0
    /// Of payload, without headers and padding.
    package internal(set) var bytesSent: UInt64 = 0
    package internal(set) var headerBytesSent: UInt64 = 0
    /// Copies travel with later packets; nothing is ever sent again by itself.
    package let retransmittedPacketsSent: UInt64 = 0
    package let retransmittedBytesSent: UInt64 = 0
    /// Of `bytesSent`, those of earlier packets' copies.
    package internal(set) var redundantBytesSent: UInt64 = 0
    package internal(set) var keysSent: UInt64 = 0
    /// In bit/s of Opus alone.
    package internal(set) var targetBitrate = 0
    /// How many earlier packets travel with each.
    package internal(set) var redundancy = 0
    package internal(set) var isFECActive = false
    /// Of what was spoken: 1 is full scale.
    package internal(set) var audioLevel = 0.0
    package internal(set) var totalAudioEnergy = 0.0
    package internal(set) var totalSamplesDuration = Duration.zero

    // What the other side says.

    package internal(set) var fractionLost = 0.0
    package internal(set) var packetsLost: Int64 = 0
    package internal(set) var jitter = Duration.zero
    package internal(set) var roundTripTime: Duration?
    package internal(set) var totalRoundTripTime = Duration.zero
    package internal(set) var roundTripTimeMeasurements: UInt64 = 0

    package init() {}
}
