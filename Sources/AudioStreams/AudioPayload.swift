package import Vocabulary

/// A packet of Opus as it came, in its order.
package struct AudioPayload: Hashable, Sendable {
    package let bytes: [UInt8]
    /// Where its sound begins, in samples at 48 kHz since the first one's, whatever became of their stamps.
    package let position: Int64
    /// In samples at 48 kHz.
    package let duration: Int
    /// How much is missing in front of it, in samples: lost, or never sent during silence.
    package let gap: Int
    package let arrival: Instant
    /// It was lost, and found in the copy of another.
    package let isCopy: Bool

    package init(bytes: [UInt8], position: Int64, duration: Int, gap: Int, arrival: Instant, isCopy: Bool) {
        self.bytes = bytes
        self.position = position
        self.duration = duration
        self.gap = gap
        self.arrival = arrival
        self.isCopy = isCopy
    }
}
