/// What became of a stream that is received: the names are those of the web's `inbound-rtp` where it has any.
package struct InboundStatistics: Hashable, Sendable {
    package var packetsReceived: UInt64 = 0
    /// Of payload, without headers.
    package var bytesReceived: UInt64 = 0
    package var headerBytesReceived: UInt64 = 0
    package var packetsLost: Int64 = 0
    package var jitter = Duration.zero
    package var lastPacketReceivedTimestamp: Duration?
    /// Packets that travelled inside of later ones, and those of them that were of no use.
    package var fecPacketsReceived: UInt64 = 0
    package var fecPacketsDiscarded: UInt64 = 0
    /// Came when their turn was over.
    package var packetsDiscarded: UInt64 = 0
    /// Of no format that was agreed on, or not of the stream.
    package var packetsRefused: UInt64 = 0
    /// What this side asked for: packets again, and key frames in two ways.
    package var nackCount: UInt64 = 0
    package var pliCount: UInt64 = 0
    package var firCount: UInt64 = 0
    package var framesReceived: UInt64 = 0
    package var keyFramesReceived: UInt64 = 0
    package var keysReceived: UInt64 = 0

    // Of what was played.

    package var totalSamplesReceived: UInt64 = 0
    package var concealedSamples: UInt64 = 0
    package var silentConcealedSamples: UInt64 = 0
    package var concealmentEvents: UInt64 = 0
    package var insertedSamplesForDeceleration: UInt64 = 0
    package var removedSamplesForAcceleration: UInt64 = 0
    /// Taken from the coarse copies inside of Opus.
    package var recoveredSamples: UInt64 = 0
    /// The sum over all samples of the time that their packets waited, and how many they were.
    package var jitterBufferDelay = Duration.zero
    package var jitterBufferEmittedCount: UInt64 = 0
    /// The same sum of what they should have waited.
    package var jitterBufferTargetDelay = Duration.zero
    /// 1 is full scale.
    package var audioLevel = 0.0
    package var totalAudioEnergy = 0.0
    package var totalSamplesDuration = Duration.zero

    package init() {}
}
