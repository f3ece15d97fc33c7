package import Vocabulary

/// The time that machines are told: of the system's steady clock, to the nanosecond.
package enum SteadyClock {
    private static let clock = ContinuousClock()
    private static let start = clock.now

    package static var now: Instant {
        Instant(nanoseconds: self.start.duration(to: self.clock.now).clampedNanoseconds)
    }
}
