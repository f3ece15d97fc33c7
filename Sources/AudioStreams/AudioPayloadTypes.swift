package import MediaStreams

/// Which numbers the two sides have agreed on for what a packet holds.
package struct AudioPayloadTypes: Hashable, Sendable {
    package var opus: UInt8
    package var red: UInt8?
    package var telephoneEvent: UInt8?
    /// The clock of the keys: 48000, or 8000 with those who know no other.
    package var telephoneEventRate: Int

    package init(opus: UInt8 = 111, red: UInt8? = nil, telephoneEvent: UInt8? = nil, telephoneEventRate: Int = 48_000) {
        self.opus = opus
        self.red = red
        self.telephoneEvent = telephoneEvent
        self.telephoneEventRate = telephoneEventRate
    }

    package func contains(_ payloadType: UInt8) -> Bool {
        payloadType == self.opus || payloadType == self.red || payloadType == self.telephoneEvent
    }
}

extension MediaClock {
    /// Of Opus, whatever the sound was sampled at (RFC 7587 §4.1).
    package static var opus: MediaClock { MediaClock(rate: 48_000) }
}
