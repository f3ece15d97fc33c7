package import Vocabulary

#if canImport(Glibc)
internal import Glibc
#endif

/// The time that machines are told: of the system's steady clock, to the nanosecond. It goes on while the machine sleeps, for
/// so does what others believe of us.
package enum SteadyClock {
    #if canImport(Glibc)
    // As `ContinuousClock` has it, without the way over its durations: this is asked for with every packet.
    private static let start = system

    private static var system: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    package static var now: Instant { Instant(nanoseconds: self.system &- self.start) }
    #else
    private static let clock = ContinuousClock()
    private static let start = clock.now

    package static var now: Instant {
        Instant(nanoseconds: self.start.duration(to: self.clock.now).clampedNanoseconds)
    }
    #endif
}
