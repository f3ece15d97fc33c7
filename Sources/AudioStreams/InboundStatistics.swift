/// What became of a stream that is received: the names are those of the web's `inbound-rtp` where it has any.
package struct InboundStatistics: Hashable, Sendable {
    package internal(set) var packetsReceived: UInt64 = 0
    /// Of payload, without headers.
    package internal(set) var bytesReceived: UInt64 = 0
    package internal(set) var headerBytesReceived: UInt64 = 0
    package internal(set) var packetsLost: Int64 = 0
    package internal(set) var jitter = Duration.zero
    package internal(set) var lastPacketReceivedTimestamp: Duration?
    /// Packets that travelled inside of later ones, and those of them that were of no use.
    package internal(set) var fecPacketsReceived: UInt64 = 0
    package internal(set) var fecPacketsDiscarded: UInt64 = 0
    /// Came when their turn was over.
    package internal(set) var packetsDiscarded: UInt64 = 0
    /// That were no Opus, or did not belong to the stream.
    package internal(set) var packetsRefused: UInt64 = 0
    package internal(set) var keysReceived: UInt64 = 0

    // Of what was played.

    package internal(set) var totalSamplesReceived: UInt64 = 0
    package internal(set) var concealedSamples: UInt64 = 0
    package internal(set) var silentConcealedSamples: UInt64 = 0
    package internal(set) var concealmentEvents: UInt64 = 0
    package internal(set) var insertedSamplesForDeceleration: UInt64 = 0
    package internal(set) var removedSamplesForAcceleration: UInt64 = 0
    /// Taken from the coarse copies inside of Opus.
    package internal(set) var recoveredSamples: UInt64 = 0
    /// The sum over all samples of the time that their packets waited, and how many they were.
    package internal(set) var jitterBufferDelay = Duration.zero
    package internal(set) var jitterBufferEmittedCount: UInt64 = 0
    /// The same sum of what they should have waited.
    package internal(set) var jitterBufferTargetDelay = Duration.zero
    /// 1 is full scale.
    package internal(set) var audioLevel = 0.0
    package internal(set) var totalAudioEnergy = 0.0
    package internal(set) var totalSamplesDuration = Duration.zero

    package init() {}
}
