internal import System
package import Vocabulary

/// The time that machines are told: of the system's steady clock, to the nanosecond. It goes on while the machine sleeps, for
/// so does what others believe of us.
package enum SteadyClock {
    private static let start = KernelClock.sinceBoot

    package static var now: Instant { Instant(nanoseconds: KernelClock.sinceBoot &- self.start) }
}
