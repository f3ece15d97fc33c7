/// What became of a stream, in samples and packets since it began: the names are those of the web's statistics where it
/// has any.
package struct PlayoutStatistics: Hashable, Sendable {
    package internal(set) var emittedSamples: UInt64 = 0
    /// Made up, because no packet was there.
    package internal(set) var concealedSamples: UInt64 = 0
    /// Of these, while the other side was silent and sent little on purpose.
    package internal(set) var silentConcealedSamples: UInt64 = 0
    package internal(set) var concealmentEvents: UInt64 = 0
    package internal(set) var insertedSamplesForDeceleration: UInt64 = 0
    package internal(set) var removedSamplesForAcceleration: UInt64 = 0
    /// Taken from the coarse copy in the packet after.
    package internal(set) var recoveredSamples: UInt64 = 0
    package internal(set) var packetsReceived: UInt64 = 0
    /// Came when their turn was over.
    package internal(set) var packetsDiscarded: UInt64 = 0
    /// Decoded from a redundant copy instead of the packet itself.
    package internal(set) var redundantPacketsUsed: UInt64 = 0
    package internal(set) var packetsDecoded: UInt64 = 0
    package internal(set) var decodedSamples: UInt64 = 0
    /// The sum over all decoded samples of the time that their packets waited for their turn.
    package internal(set) var bufferDelay: Duration = .zero
    /// The same sum of what they should have waited.
    package internal(set) var bufferTargetDelay: Duration = .zero

    package init() {}

    package var meanDelay: Duration {
        self.decodedSamples == 0 ? .zero : self.bufferDelay / Double(self.decodedSamples)
    }
}
