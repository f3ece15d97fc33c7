internal import Vocabulary

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
}

/// Which numbers the two sides have agreed on for what a packet's header says.
package struct AudioExtensions: Hashable, Sendable {
    package var audioLevel: UInt8?
    package var mid: UInt8?
    package var transportCC: UInt8?
    package var absSendTime: UInt8?

    package init(
        audioLevel: UInt8? = nil, mid: UInt8? = nil, transportCC: UInt8? = nil, absSendTime: UInt8? = nil
    ) {
        self.audioLevel = audioLevel
        self.mid = mid
        self.transportCC = transportCC
        self.absSendTime = absSendTime
    }

    var isEmpty: Bool { self == AudioExtensions() }

    /// Identifiers above 14 need the long form (RFC 8285 §4.3).
    var needsLongForm: Bool {
        max(self.audioLevel ?? 0, self.mid ?? 0, self.transportCC ?? 0, self.absSendTime ?? 0) > 14
    }
}

/// The clock of Opus in RTP, whatever the sound was sampled at (RFC 7587 §4.1).
enum MediaClock {
    static let rate = 48_000

    static func samples(in duration: Duration) -> Int64 {
        let (seconds, rest) = duration.clampedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* Int64(self.rate) &+ rest * Int64(self.rate) / 1_000_000_000
    }

    static func duration(of samples: Int64) -> Duration {
        let (seconds, rest) = samples.quotientAndRemainder(dividingBy: Int64(self.rate))
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Int64(self.rate))
    }
}
