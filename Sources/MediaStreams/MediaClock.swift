internal import Vocabulary

/// The clock of a stream's timestamps (RFC 3550 §5.1): so many ticks a second, whatever the media was sampled at.
package struct MediaClock: Hashable, Sendable {
    package let rate: Int

    package init(rate: Int) {
        self.rate = rate
    }

    package func ticks(in duration: Duration) -> Int64 {
        let (seconds, rest) = duration.clampedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* Int64(self.rate) &+ rest * Int64(self.rate) / 1_000_000_000
    }

    package func duration(of ticks: Int64) -> Duration {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: Int64(self.rate))
        return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Int64(self.rate))
    }
}
